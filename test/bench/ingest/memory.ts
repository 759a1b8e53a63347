import type { Effort, FigureTable } from '../report/bench';
import type { IngestSite } from './site';
import { residentMbOf } from '../figures/process-memory';
import { demandText } from '../report/report';
import type { Stage } from '../stage/stage';

const minuteSeconds = 60;
const minutes = 10;
// Keeps a quick run meaningful; the report names the shorter step.
const quickStepSeconds = 6;
// Half the maximum throughput: the benchmark measures endurance, not speed.
const loadShare = 0.5;
const growthMax = { atMost: 1.15 };
const watched = ['gateway', 'metering'] as const;

/** P14: memory during continuous ingest, minute by minute. */
export async function memoryTable(
  { size, eventsPerSecond }: { size: number; eventsPerSecond: number },
  { site, stage, effort }: { site: IngestSite; stage: Stage; effort: Effort },
): Promise<FigureTable> {
  const stepSeconds = effort.isQuick ? quickStepSeconds : minuteSeconds;
  const perSecond = (eventsPerSecond * loadShare) / size;
  const job = { ...site.jobOf({ size }), pace: { kind: 'open', perSecond } } as const;
  stage.log(
    `P14: ${String(minutes)} × ${String(stepSeconds)} s of ${perSecond.toFixed(1)} batches a second`,
  );
  const steps: Record<string, number>[] = [];
  for (let step = 1; step <= minutes; step += 1) {
    await site.generator.run({ ...job, seconds: stepSeconds });
    steps.push(residentMbOf(site.system.pids()));
  }
  const unit = effort.isQuick ? `${String(stepSeconds)} s` : 'minute';
  return {
    title: `P14: resident memory in MB, ${unit} by ${unit}, at ${String(Math.round(eventsPerSecond * loadShare))} events/s in batches of ${String(size)}`,
    columns: [
      'process',
      ...steps.map((_, index) => String(index + 1)),
      'last : first',
      'demand',
      'verdict',
    ],
    rows: watched.map((name) =>
      rowOf(
        name,
        steps.map((step) => step[name] ?? 0),
      ),
    ),
  };
}

function rowOf(name: string, mb: readonly number[]): string[] {
  const ratio = (mb.at(-1) ?? 0) / (mb[0] ?? 1);
  const verdict = ratio <= growthMax.atMost ? 'met' : 'missed';
  return [
    name,
    ...mb.map((one) => one.toFixed(0)),
    ratio.toFixed(2),
    demandText(growthMax),
    verdict,
  ];
}
