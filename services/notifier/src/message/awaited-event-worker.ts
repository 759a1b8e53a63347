import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { Semaphore } from '@billing/chassis/semaphore';
import { EarlierEventMissingError } from './accept-event';
import {
  type AwaitedEvents,
  type AwaitedEventStore,
  subjectTypeOfWait,
} from './awaited-event-store';
import type { OrderedEventConsumer } from './accept-in-order';
import { restoreCodesField } from './message-store';

export interface AwaitedEventWorkerDependencies {
  readonly awaited: AwaitedEventStore;
  readonly consumer: Pick<OrderedEventConsumer, 'acceptUpTo'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Events of one subject that begin to wait. */
export type NewWait = Omit<AwaitedEvents, 'since' | 'tryAt' | 'isCheckout'>;

const minuteMs = 60_000;
// Due in the next round that reads the logs.
const tryEveryMsMin = 4_000;
const tryEveryMsMax = minuteMs;
// Entries become visible some minutes late at most. An hour leaves operators the time to restore
// one.
const abandonAfterMs = 60 * minuteMs;
// A log that answers slowly blocks one of these.
const triesMax = 10;
// Shorter waits are common, because clocks of replicas differ, and no reason for an alert.
const countedAfterMs = 2 * minuteMs;

/**
 * Parks events whose predecessor is missing in the logs, and retries them by id until the
 * predecessor appears or an hour has passed. After an hour a mark takes its place and later events
 * are accepted; the missing event stays visible among the gaps. An event of a later release is in
 * the log: it is retried, also after each start, until this release knows its type.
 */
export class AwaitedEventWorker {
  private readonly tries = new Semaphore(triesMax);

  constructor(private readonly dependencies: AwaitedEventWorkerDependencies) {}

  /** Returns those of the given subjects that have a wait. */
  findWaiting(ids: readonly string[]): Promise<Set<string>> {
    return this.dependencies.awaited.findWaiting(ids);
  }

  /** True if no event waits. */
  isEmpty(): Promise<boolean> {
    return this.dependencies.awaited.isEmpty();
  }

  async park(wait: NewWait): Promise<void> {
    const { awaited, clock, logger } = this.dependencies;
    const now = clock.now();
    const tryAt = new Date(now.getTime() + tryEveryMsMin);
    if (await awaited.store({ ...wait, since: now, tryAt })) {
      const { _id: subscriptionId, environmentId, from: sequence } = wait;
      const facts = { environmentId, subscriptionId, sequence };
      logger.warn(facts, 'event waits for an earlier event, missing or of a later release');
    }
  }

  /** Retries every due wait, some of them in parallel. Starts no more once the signal aborts. */
  async run(signal?: AbortSignal): Promise<void> {
    const { awaited, clock } = this.dependencies;
    const now = clock.now();
    const due = await awaited.claimDue(now, (wait) => nextTryAt(wait, now));
    await Promise.all(
      due.map((wait) =>
        this.tries.run(async () => {
          if (signal?.aborted !== true) await this.retry(wait, now);
        }),
      ),
    );
  }

  /** Counts subjects that have waited for more than two minutes. */
  count(): Promise<{ live: number; sandbox: number }> {
    const { awaited, clock } = this.dependencies;
    return awaited.countBegunBefore(new Date(clock.now().getTime() - countedAfterMs));
  }

  private async retry(wait: AwaitedEvents, now: Date): Promise<void> {
    const { awaited, consumer, logger } = this.dependencies;
    const { _id: subscriptionId, environmentId, upTo: sequence, since } = wait;
    const subjectType = subjectTypeOfWait(wait);
    const onMissing =
      now.getTime() - since.getTime() < abandonAfterMs
        ? undefined
        : (event: { _id: string; sequence: number }) =>
            awaited.recordMissing({
              ...event,
              ...{ environmentId, subscriptionId, subjectType },
              at: now,
            });
    try {
      await consumer.acceptUpTo(
        { environmentId, subscriptionId, subjectType, sequence, ...restoreCodesField(wait) },
        onMissing,
      );
      await awaited.remove(wait);
    } catch (error) {
      if (error instanceof EarlierEventMissingError) return;
      logger.warn({ err: error, subscriptionId }, 'accepting awaited event failed, retrying');
    }
  }
}

/** Retries become less frequent with the age of the wait. */
function nextTryAt({ since }: AwaitedEvents, now: Date): Date {
  const ageMs = now.getTime() - since.getTime();
  return new Date(now.getTime() + Math.min(Math.max(ageMs / 4, tryEveryMsMin), tryEveryMsMax));
}
