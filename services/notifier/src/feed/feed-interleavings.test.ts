import fc from 'fast-check';
import { messageId } from '../message/message-store';
import { appendToFeed, type FeedLog } from './append-to-feed';
import type { FeedMessage } from './feed-run';

// A real database gives no control over interleavings; here a scheduler does. Between any two reads
// or writes of a document, other processes may run, and a process may be slow or crash. The real
// code runs; the model only stores documents and decides nothing.

const environmentId = '0197a000-0000-7000-8000-000000000001';
const at = new Date('2026-01-31T00:00:00.000Z');
const clock = { now: () => at };
const crashed = new Promise<never>(() => undefined);

/** A process that accepts messages of subjects one after the other, and appends each group. */
const appender = fc.record({
  accepts: fc.array(fc.array(fc.nat({ max: 2 }), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 3,
  }),
  stepsMax: fc.option(fc.nat({ max: 40 }), { nil: Infinity }),
});
type Appender = typeof appender extends fc.Arbitrary<infer T> ? T : never;
const threeAppenders = fc.tuple(appender, appender, appender);

/** The part of the append that a mutant leaves out. */
type Mutation = 'NONE' | 'IGNORES_PREDECESSORS' | 'CONTINUES_AFTER_DUPLICATES';

const isNightly = process.env.TEST_TIER === 'nightly';
const runs = isNightly ? 10_000 : 1_500;
const timeoutMs = isNightly ? 20 * 60_000 : 120_000;
const pollsMax = 40;

test(
  'no interleaving of three appenders skips a number, repeats a message or breaks an order',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), threeAppenders, async (scheduler, appenders) => {
        const model = await run(scheduler, appenders, 'NONE');
        expect(model.problems()).toEqual([]);
        // The next process appends the entries that crashed processes left.
        await appendToFeed(environmentId, model.accepted(), { log: model.log(noPause), clock });
        expect(model.problems()).toEqual([]);
        expect(model.size).toBe(model.accepted().length);
      }),
      { numRuns: runs },
    );
  },
  timeoutMs,
);

test(
  'a reader that polls all the while reads every entry once, in order',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), threeAppenders, async (scheduler, appenders) => {
        const model = new Model();
        const reading = model.poll(pollsMax, async () => scheduler.schedule(Promise.resolve()));
        await run(scheduler, appenders, 'NONE', model);
        const read = await reading;
        // The rest is read by the next polls.
        expect([...read, ...model.entries().slice(read.length)]).toEqual(model.entries());
        expect(new Set(read).size).toBe(read.length);
      }),
      { numRuns: runs / 4 },
    );
  },
  timeoutMs,
);

test.each(['IGNORES_PREDECESSORS', 'CONTINUES_AFTER_DUPLICATES'] as const)(
  'an append that %s is found out by some interleaving',
  async (mutation) => {
    const found = await fc.check(
      fc.asyncProperty(fc.scheduler(), threeAppenders, async (scheduler, appenders) => {
        const model = await run(scheduler, appenders, mutation);
        return model.problems().length === 0;
      }),
      // The same runs each time: a random set may miss the fault.
      { numRuns: runs, endOnFailure: true, seed: 1 },
    );
    expect(found.failed).toBe(true);
  },
  timeoutMs,
);

async function run(
  scheduler: fc.Scheduler,
  appenders: readonly Appender[],
  mutation: Mutation,
  model = new Model(),
): Promise<Model> {
  for (const { accepts, stepsMax } of appenders) {
    let steps = 0;
    const step = async () => {
      steps += 1;
      if (steps > stepsMax) await crashed;
      await scheduler.schedule(Promise.resolve());
    };
    const work = async () => {
      for (const subjects of accepts) {
        await step();
        const messages = subjects.map((subject) => model.accept(`subject-${String(subject)}`));
        await appendToFeed(environmentId, messages, { log: model.log(step, mutation), clock });
      }
    };
    void work().catch((error: unknown) => model.failures.push(error));
  }
  await scheduler.waitIdle();
  expect(model.failures).toEqual([]);
  return model;
}

/** Waits for the scheduler; never resolves for a crashed process. */
type Step = () => Promise<void>;

const noPause: Step = () => Promise.resolve();

/** The messages of one environment and its feed, with reads and writes of single documents. */
class Model {
  readonly failures: unknown[] = [];
  private readonly messages = new Map<string, FeedMessage>();
  private readonly feed = new Map<number, string>();

  get size(): number {
    return this.feed.size;
  }

  /** Stores the next message of a subject. */
  accept(subscriptionId: string): FeedMessage {
    const sequence =
      1 + this.accepted().filter((one) => one.subscriptionId === subscriptionId).length;
    const key = { environmentId, subscriptionId, sequence };
    const message = { ...key, _id: messageId(key), type: 'subscription.renewed', acceptedAt: at };
    this.messages.set(message._id, message);
    return message;
  }

  accepted(): FeedMessage[] {
    return [...this.messages.values()];
  }

  log(step: Step, mutation: Mutation = 'NONE'): FeedLog {
    const isPlaced = (id: string) => [...this.feed.values()].includes(id);
    return {
      lastPosition: async () => {
        await step();
        return Math.max(0, ...this.feed.keys());
      },
      findPlaced: async (_environmentIds, ids) => {
        await step();
        return new Set(ids.filter(isPlaced));
      },
      findMessages: async (_environmentId, ids) => {
        // Predecessors that are not found count as past keeping.
        if (mutation === 'IGNORES_PREDECESSORS') return [];
        await step();
        return ids.flatMap((id) => this.messages.get(id) ?? []);
      },
      insert: async (_environmentId, end, run) => {
        let inserted = 0;
        for (const [index, { _id }] of run.entries()) {
          await step();
          const position = end + index + 1;
          if (!this.feed.has(position) && !isPlaced(_id)) {
            this.feed.set(position, _id);
            inserted += 1;
          } else if (mutation !== 'CONTINUES_AFTER_DUPLICATES') return inserted;
        }
        return inserted;
      },
    };
  }

  /** Ids of the messages by position. */
  entries(): string[] {
    return [...this.feed.entries()].sort(([a], [b]) => a - b).map(([, id]) => id);
  }

  problems(): string[] {
    const positions = [...this.feed.keys()].sort((a, b) => a - b);
    const gap = positions.some((position, index) => position !== index + 1);
    const ids = this.entries();
    const last = new Map<string, number>();
    const disordered = ids.flatMap((id) => {
      const { subscriptionId, sequence } = this.messages.get(id)!;
      const before = last.get(subscriptionId) ?? 0;
      last.set(subscriptionId, sequence);
      return sequence === before + 1 ? [] : [`${subscriptionId}: ${String(sequence)}`];
    });
    return [
      ...(gap ? [`positions ${positions.join(' ')}`] : []),
      ...(new Set(ids).size < ids.length ? ['a message stands twice'] : []),
      ...disordered,
    ];
  }

  /** Reads on from the last position between the steps of the appenders. */
  async poll(polls: number, step: Step): Promise<string[]> {
    const read: string[] = [];
    for (let poll = 1; poll <= polls; poll += 1) {
      await step();
      for (let next = this.feed.get(read.length + 1); next !== undefined;) {
        read.push(next);
        next = this.feed.get(read.length + 1);
      }
    }
    return read;
  }
}
