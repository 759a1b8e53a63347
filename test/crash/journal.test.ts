import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CrashJournal, type CrashPlan } from './journal';
import { crashFlows } from './flows';
import { isInShard, runsThrough, shuffled, titleOf } from './runs';

const [flow] = crashFlows;
const points = [
  { name: 'checkout/invoices/insertOne:before', hit: 1 },
  { name: 'checkout/invoices/insertOne:after', hit: 1 },
  { name: 'notifier/attempts/insertMany:before', hit: 2 },
];
const plan: CrashPlan = { seed: 7, points: { [flow!.name]: points } };
const runs = runsThrough(flow!, points, plan.seed);

describe('the runs of a crash matrix', () => {
  test('kill at each point once alone and once before another kill, in an order determined by a seed', () => {
    expect(runs.filter(({ kills }) => kills.length === 1).map(({ kills }) => kills[0])).toEqual(
      points,
    );
    expect(runs.filter(({ kills }) => kills.length === 2)).toHaveLength(points.length);
    expect(runsThrough(flow!, points, plan.seed)).toEqual(runs);
    expect(shuffled(runs, 7)).toEqual(shuffled(runs.toReversed(), 7));
    expect(shuffled(runs, 7)).not.toEqual(shuffled(runs, 8));
  });

  test('belong to one of the shards each', () => {
    for (const run of runs) {
      const shards = [1, 2, 3].filter((index) => isInShard(run, { index, count: 3 }));
      expect(shards).toHaveLength(1);
    }
  });
});

describe('the journal of a crash matrix', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'billing-t-'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  test('resumes its plan, skips completed runs, and repeats failed ones', async () => {
    const file = join(folder, 'below/journal.jsonl');
    const first = await CrashJournal.open(file, () => Promise.resolve(plan));
    const [passed, broken, next] = runs.map(titleOf) as [string, string, string];
    await first.add({ title: passed, seconds: 1.5, killed: 1 });
    await first.add({ title: broken, seconds: 2, killed: 0, failure: 'two invoices' });
    // As after a crash of the test itself.
    await appendFile(file, '{"title":"cut');

    const second = await CrashJournal.open(file, () => Promise.reject(new Error('planned again')));
    expect(second.plan).toEqual(plan);
    expect([passed, broken, next].map((title) => second.isDone(title))).toEqual([
      true,
      false,
      false,
    ]);
    expect(second.counts()).toEqual({ runs: 2, kills: 1, failures: [`${broken}: two invoices`] });
    await second.add({ title: broken, seconds: 2, killed: 2 });
    expect(second.counts()).toEqual({ runs: 2, kills: 3, failures: [] });
    const third = await CrashJournal.open(file, () => Promise.reject(new Error('planned again')));
    expect(third.counts()).toEqual(second.counts());
  });

  test('is stored only if a file is given', async () => {
    const journal = await CrashJournal.open(undefined, () => Promise.resolve(plan));
    await journal.add({ title: 'a run', seconds: 1, killed: 1 });
    expect(journal.isDone('a run')).toBe(true);
  });
});
