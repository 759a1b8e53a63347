import type { Bench, Effort, FigureTable } from '../report/bench';
import { judge, sampleOf, spreadText } from '../figures/statistics';
import { cpuSecondsBetween, cpuSecondsOf } from '../figures/process-cpu';
import { demandText } from '../report/report';
import type { Stage, StagedSystem } from '../stage/stage';
import { FeedSeed } from './seed';

const warmUpCount = 50;
const pollMs = 20;
const giveUpMs = 300_000;

interface Variant {
  readonly name: string;
  readonly attachPdf: boolean;
  /** Mails of a run for each second of its duration. */
  readonly perSecond: number;
  readonly demand: { readonly atLeast: number };
}

const variants: readonly Variant[] = [
  { name: 'receipts', attachPdf: false, perSecond: 150, demand: { atLeast: 100 } },
  { name: 'receipts with a PDF', attachPdf: true, perSecond: 30, demand: { atLeast: 20 } },
];

/** Mails that one process of `notifier` renders and stores. */
export const mails: Bench = {
  name: 'mails',
  title: 'mails made, with and without a PDF',
  run: async (stage, effort) => {
    const system = await stage.system();
    const seed = await FeedSeed.open(system, { name: 'Mails', type: 'invoice.paid' });
    try {
      const rows: string[][] = [];
      for (const variant of variants) {
        const kinds = { RECEIPT: { attachPdf: variant.attachPdf } };
        const body = { kinds };
        await seed.api.expect(200, seed.api.request('PATCH', '/email-settings', { body }));
        await make(seed, warmUpCount);
        rows.push(await rowOf(variant, { stage, system, seed, effort }));
      }
      return { figures: [tableOf(rows)] };
    } finally {
      await seed.close();
    }
  },
};

async function rowOf(
  { name, perSecond, demand }: Variant,
  {
    stage,
    system,
    seed,
    effort,
  }: { stage: Stage; system: StagedSystem; seed: FeedSeed; effort: Effort },
): Promise<string[]> {
  const rates: number[] = [];
  const cpuMs: number[] = [];
  for (let run = 1; run <= effort.pairs; run += 1) {
    const count = perSecond * effort.seconds;
    const before = cpuSecondsOf(system.pids());
    const seconds = await make(seed, count);
    const { notifier = 0 } = cpuSecondsBetween(before, cpuSecondsOf(system.pids()));
    rates.push(count / seconds);
    cpuMs.push((notifier * 1_000) / count);
    stage.log(`mails: ${name}, run ${String(run)}: ${(count / seconds).toFixed(0)} mails/s`);
  }
  const rate = sampleOf(rates);
  const verdict = judge({ ratio: rate, floor: rate, generatorCpu: 0, demand });
  const cpu = sampleOf(cpuMs).median.toFixed(1);
  return [name, spreadText(rate), cpu, demandText(demand), verdict];
}

function tableOf(rows: readonly (readonly string[])[]): FigureTable {
  return {
    title: 'Mails of a sandbox, from entries of its feed, rendered and stored',
    columns: ['what', 'mails/s', 'CPU of notifier, ms each', 'demand', 'verdict'],
    rows,
  };
}

/** Adds paid invoices to the feed; returns the seconds until each has its mail. */
async function make(seed: FeedSeed, count: number): Promise<number> {
  const wanted = (await seed.emailsCount()) + count;
  await seed.extendBy(count);
  const startedMs = performance.now();
  // The next event of the feed has the mails of all before it made.
  await seed.api.expect(201, seed.api.post('/customers', { email: 'grace@example.com' }));
  while ((await seed.emailsCount()) < wanted) {
    if (performance.now() - startedMs > giveUpMs) throw new Error('Mails were not made in time');
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return (performance.now() - startedMs) / 1_000;
}
