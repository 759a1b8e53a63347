import type { Filter } from 'mongodb';
import type { AggregateDocument, WorkClass } from '../aggregates/aggregate';
import type { AggregateCollection } from '../aggregates/aggregate-collection';
import { type Clock, monotonicMs, sleep } from '../clock';
import type { DueWork } from './due-work';
import { realTimeline } from '../grpc/call-context';
import { retryTransient } from '../mongo/mongo';
import type { StepCounts } from '../recovery/recovery';

const classes: readonly WorkClass[] = ['COLLECTION', 'END', 'RENEWAL'];
// A document that is several steps behind takes one step a round.
const roundsMax = 1_000;
// Work that fails, such as a charge that waits for the opening, fails again.
const failuresMax = 3;
// Longer than the retries of commands whose receivers are available.
const quietWithinMs = 30_000;
const lookEveryMs = 250;

/** Dependencies of catching up. */
export interface CatchUpDependencies {
  readonly dueWork: Pick<DueWork, 'run'>;
  readonly collections: readonly AggregateCollection<never>[];
  readonly clock: Clock;
}

/**
 * Does all work of the common timeline that is due, in the order of its classes, and waits until
 * the commands that follow are done. Work that cannot be done now is left until the opening.
 */
export async function catchUp({
  dueWork,
  collections,
  clock,
}: CatchUpDependencies): Promise<StepCounts> {
  let [due, failures] = [0, 0];
  for (const workClass of classes) {
    let failed = 0;
    for (let round = 0; round < roundsMax && failed < failuresMax; round += 1) {
      try {
        const handled = await dueWork.run(realTimeline, clock.now(), workClass);
        due += handled;
        if (handled === 0) break;
      } catch {
        failed += 1;
      }
    }
    failures += failed === failuresMax ? 1 : 0;
  }
  const waiting = await untilQuiet(collections);
  return { due, ...(failures > 0 && { classesLeft: failures }), ...(waiting > 0 && { waiting }) };
}

/** Waits until no outbox has entries, not for long; returns the number of those that have some. */
async function untilQuiet(collections: readonly AggregateCollection<never>[]): Promise<number> {
  const until = monotonicMs() + quietWithinMs;
  for (;;) {
    const waiting = await countWaiting(collections);
    if (waiting === 0 || monotonicMs() >= until) return waiting;
    await sleep(lookEveryMs);
  }
}

async function countWaiting(collections: readonly AggregateCollection<never>[]): Promise<number> {
  const pending = { pendingSince: { $gt: new Date(0) } } as Filter<AggregateDocument>;
  const counts = await Promise.all(
    collections.map(({ documents }) => retryTransient(() => documents.countDocuments(pending))),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}
