import type { Logger } from '@billing/chassis/logging';
import { type Announcement, type OrderedEventConsumer, readAnnouncement } from './accept-in-order';
import type { AwaitedEventStore } from './awaited-event-store';
import type { Cursor, CursorStore } from './cursor-store';
import type { MessageStore } from './message-store';
import type { EventLogOwner, LogStart } from '../peer/peers';

export interface LoggedEventsDependencies {
  readonly owners: readonly EventLogOwner[];
  readonly cursors: Pick<CursorStore, 'findAll'>;
  readonly messages: MessageStore;
  readonly awaited: Pick<AwaitedEventStore, 'findWaiting'>;
  readonly consumer: Pick<OrderedEventConsumer, 'acceptLogged'>;
  readonly logger: Logger;
}

const pageMax = 500;
// Entries become visible out of order, by the time of a write and the difference of clocks.
const overlapMs = 10_000;

/**
 * Accepts everything that the owners have logged for an environment since their logs were read
 * last. Returns the number of events that could not be accepted; those that wait for a missing one
 * do not count.
 */
export async function acceptLoggedEvents(
  environmentId: string,
  dependencies: LoggedEventsDependencies,
): Promise<number> {
  const cursors = await dependencies.cursors.findAll();
  const counts = await Promise.all(
    dependencies.owners.map((owner) =>
      acceptFromOwner(environmentId, { owner, cursor: cursors.get(owner.name) }, dependencies),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

async function acceptFromOwner(
  environmentId: string,
  { owner, cursor }: { owner: EventLogOwner; cursor: Cursor | undefined },
  dependencies: LoggedEventsDependencies,
): Promise<number> {
  const { messages, awaited, logger } = dependencies;
  let start: LogStart =
    cursor === undefined
      ? { beginning: true }
      : { insertedAfter: new Date(cursor.insertedAt.getTime() - overlapMs) };
  let left = 0;
  for (;;) {
    const { entries, hasMore } = await owner.readEnvironment(environmentId, start, pageMax);
    const announced = entries
      .flatMap((entry) => readAnnouncement(entry, logger) ?? [])
      // An owner of an earlier release returns entries of all environments.
      .filter(({ key }) => key.environmentId === environmentId);
    // A cursor that has not moved for very long leads back to messages that were removed since.
    const lacking = await messages.findLacking(announced);
    const subjects = Map.groupBy(lacking, ({ key }) => key.subscriptionId);
    const waiting = await awaited.findWaiting([...subjects.keys()]);
    for (const [id, events] of subjects) {
      if (!waiting.has(id)) left += await acceptOfSubject(events, dependencies);
    }
    const last = entries.at(-1);
    if (!hasMore || last === undefined) return left;
    start = { after: last.position };
  }
}

async function acceptOfSubject(
  events: readonly Announcement[],
  { consumer, logger }: LoggedEventsDependencies,
): Promise<number> {
  const inOrder = events.toSorted((a, b) => a.key.sequence - b.key.sequence);
  for (const [index, event] of inOrder.entries()) {
    try {
      await consumer.acceptLogged(event);
    } catch (error) {
      logger.warn({ err: error, ...event.key }, 'accepting event failed, retrying');
      return inOrder.length - index;
    }
  }
  return 0;
}
