import type { Clock } from '@billing/chassis/clock';
import type { AwaitedEventStore } from '../message/awaited-event-store';
import type { DeliveryDayStore } from '../delivery/day-store';
import { deliveryId } from '../delivery/delivery-store';
import { removeOldEntries } from '../feed/feed-retention-worker';
import type { FeedStore } from '../feed/feed-store';
import { messageIdsAt, type MessageStore } from '../message/message-store';
import type { OldMessage, RetentionStore } from './retention-store';

export interface RetentionWorkerDependencies {
  readonly retained: RetentionStore;
  readonly messages: MessageStore;
  readonly dayTotals: DeliveryDayStore;
  readonly awaited: Pick<AwaitedEventStore, 'removeMissingBefore'>;
  readonly feed: Pick<FeedStore, 'environments' | 'removeBefore' | 'findPlaced'>;
  readonly clock: Clock;
  /** Codes of all restores. */
  readonly restoreCodes: () => readonly string[];
}

const day = 24 * 60 * 60 * 1_000;

/** Period of real time during which sent webhooks can be listed, resent and counted. */
export const retentionMs = 30 * day;

const batchSize = 500;

/**
 * Removes messages with their deliveries and attempts after thirty days. PENDING deliveries stay,
 * and so does the last message of every subscription: the next one can be accepted only after it,
 * however late it comes.
 */
export class RetentionWorker {
  constructor(private readonly dependencies: RetentionWorkerDependencies) {}

  /** One pass over all old messages; ends early when the signal aborts. */
  async run(signal?: AbortSignal): Promise<void> {
    const { retained, dayTotals, awaited, feed, clock } = this.dependencies;
    const before = new Date(clock.now().getTime() - retentionMs);
    await dayTotals.removeBefore(before);
    await awaited.removeMissingBefore(before);
    await removeOldEntries(feed, before, signal);
    for await (const old of retained.findBefore(before, batchSize)) {
      await this.remove(old);
      if (signal?.aborted === true) return;
    }
  }

  private async remove(old: readonly OldMessage[]): Promise<void> {
    const { retained, feed } = this.dependencies;
    const environmentIds = [...new Set(old.map(({ environmentId }) => environmentId))];
    const ids = old.flatMap(deliveryIdsOf);
    const pending = await retained.findPending(environmentIds, ids);
    const finished = ids.filter((id) => !pending.has(id));
    await retained.removeDeliveries(environmentIds, finished);
    // A delivery may have been resent a moment before.
    const left = await retained.findPending(environmentIds, ids);
    const followed = await this.findFollowed(old);
    // An entry of the feed has no bytes of its own.
    const placed = await feed.findPlaced(
      environmentIds,
      old.map(({ _id }) => _id),
    );
    await retained.removeMessages(
      old.filter(
        (message) =>
          followed.has(message._id) &&
          !placed.has(message._id) &&
          !deliveryIdsOf(message).some((id) => left.has(id)),
      ),
    );
  }

  /** Returns the messages with an accepted successor, and those that will never have one. */
  private async findFollowed(old: readonly OldMessage[]): Promise<Set<string>> {
    const { messages, restoreCodes } = this.dependencies;
    const codes = restoreCodes();
    const nextIdsOf = (message: OldMessage) =>
      messageIdsAt({ ...message, sequence: message.sequence + 1 }, codes);
    const next = await messages.findKnown(old.flatMap(nextIdsOf));
    return new Set(
      old
        .filter(
          (message) => isLastOfSubject(message) || nextIdsOf(message).some((id) => next.has(id)),
        )
        .map(({ _id }) => _id),
    );
  }
}

// Tests have no number, and a mail announces one event at most.
function isLastOfSubject({ sequence, type }: OldMessage): boolean {
  return sequence === 0 || type.startsWith('email.');
}

function deliveryIdsOf({ _id, environmentId, endpointIds }: OldMessage): string[] {
  return endpointIds.map((endpointId) => deliveryId(environmentId, _id, endpointId));
}
