import type { Effort, FigureTable } from '../report/bench';
import type { IngestSite } from './site';
import type { Latency } from '../figures/latency-histogram';
import { demandText } from '../report/report';
import { judge, percent, sampleOf, spreadText } from '../figures/statistics';
import type { Stage } from '../stage/stage';
import { TimedGenerator, type TimedResult } from '../stage/timed-generator';

// Share of the maximum throughput. Above it, waits grow with every disturbance.
const loadShare = 0.7;
const getsPerSecond = 100;
const slowdownMax = { atMost: 3 };

/** Closed-loop throughput of batches of one size. */
export interface IngestMaximum {
  readonly size: number;
  readonly eventsPerSecond: number;
}

/** Latency of batches that are sent at fixed times, independent of responses. */
export async function openLoopTable(
  maxima: readonly IngestMaximum[],
  { site, stage, effort }: { site: IngestSite; stage: Stage; effort: Effort },
): Promise<FigureTable> {
  const rows: string[][] = [];
  for (const { size, eventsPerSecond } of maxima) {
    const perSecond = (eventsPerSecond * loadShare) / size;
    stage.log(`open loop: ${perSecond.toFixed(1)} batches of ${String(size)} a second`);
    const job = { ...site.jobOf({ size }), pace: { kind: 'open', perSecond } } as const;
    await site.generator.run({ ...job, seconds: effort.warmUpSeconds });
    const result = await site.generator.run({ ...job, seconds: effort.seconds * effort.pairs });
    rows.push([String(size), perSecond.toFixed(1), ...latencyCells(result)]);
  }
  return {
    title: `Ingest at fixed times, ${percent(loadShare)} of the maximum: ms from the scheduled time of a batch`,
    columns: ['batch', 'batches/s', 'events/s', 'p50', 'p90', 'p99', 'p99.9', 'max', 'generator'],
    rows,
  };
}

function latencyCells({ events, seconds, latencyMs, cpuShare }: TimedResult): string[] {
  const { p50, p90, p99, p99_9, max } = latencyMs;
  const waits = [p50, p90, p99, p99_9, max].map((ms) => ms.toFixed(1));
  return [String(Math.round(events / seconds)), ...waits, percent(cpuShare)];
}

/** P10: the latency of reads alone and during ingest, alternately. */
export async function readersTable(
  { size, eventsPerSecond }: IngestMaximum,
  { site, stage, effort }: { site: IngestSite; stage: Stage; effort: Effort },
): Promise<FigureTable> {
  const reader = await TimedGenerator.start(stage);
  const { url, headers } = site.jobOf({ size });
  const paths = [`/v1/customers/${site.customerId}`];
  const read = (seconds: number) =>
    reader.run({
      url,
      headers,
      seconds,
      pace: { kind: 'open', perSecond: getsPerSecond },
      work: { kind: 'get', paths },
    });
  const seconds = effort.seconds * 2;
  const perSecond = (eventsPerSecond * loadShare) / size;
  const ingest = () =>
    site.generator.run({ ...site.jobOf({ size }), seconds, pace: { kind: 'open', perSecond } });
  await read(effort.warmUpSeconds);
  const pairs: { alone: Latency; during: Latency }[] = [];
  let generatorCpu = 0;
  for (let pair = 1; pair <= effort.pairs; pair += 1) {
    const alone = await read(seconds);
    const [during, load] = await Promise.all([read(seconds), ingest()]);
    pairs.push({ alone: alone.latencyMs, during: during.latencyMs });
    generatorCpu = Math.max(generatorCpu, alone.cpuShare, during.cpuShare, load.cpuShare);
    stage.log(
      `P10: pair ${String(pair)}: ${String(during.latencyMs.p99)} : ${String(alone.latencyMs.p99)} ms`,
    );
  }
  const floor = sampleOf(pairs.map(({ alone }) => alone.p99));
  const ratio = sampleOf(pairs.map(({ alone, during }) => during.p99 / alone.p99));
  const verdict = judge({ ratio, floor, generatorCpu, demand: slowdownMax });
  return {
    title: `P10: GET customer, ${String(getsPerSecond)} a second at fixed times, during batches of ${String(size)} at ${percent(loadShare)} of the maximum`,
    columns: ['p99 during ingest, ms', 'p99 alone, ms', 'ratio', 'demand', 'verdict'],
    rows: [
      [
        spreadText(sampleOf(pairs.map(({ during }) => during.p99))),
        spreadText(floor),
        spreadText(ratio),
        demandText(slowdownMax),
        verdict,
      ],
    ],
  };
}
