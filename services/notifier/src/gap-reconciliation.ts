import type { Stored } from '@billing/chassis/aggregate';
import type { Logger } from '@billing/chassis/logging';
import { DomainError } from '@billing/kernel/domain-error';
import type { CursorStore } from './cursor-store';
import type { DeliveryHistoryStore } from './delivery-history-store';
import { messageId, type MessageStore } from './message-store';
import { readAnnouncement } from './ordered-event-consumer';
import type { EventLogOwner, LoggedEvent, LogStart } from './peers';
import type { ReplayStore } from './replay-store';
import type { WebhookEndpoint } from './webhook-endpoint';

/** What an endpoint has not got of one subscription or checkout session. */
export interface WebhookGap {
  readonly isCheckout: boolean;
  /** Of the subscription or session. */
  readonly id: string;
  /** Rising. */
  readonly sequences: readonly number[];
}

/** What gaps are found by. */
export interface GapReconciliationOptions {
  readonly owners: readonly EventLogOwner[];
  readonly cursors: CursorStore;
  readonly messages: MessageStore;
  readonly replays: ReplayStore;
  readonly history: DeliveryHistoryStore;
  readonly logger: Logger;
}

/** One event that has not arrived. */
interface Missing {
  readonly id: string;
  readonly sequence: number;
  readonly type: string;
}

const sequencesMax = 10_000;
const pageMax = 500;
// What waits beyond so much can only be told once it is accepted.
const pagesMax = 10;

/**
 * Finds what an endpoint should have got and has not. Everything that was accepted for it has a delivery, so what has not arrived is what
 * has a delivery that was never taken; and what its owner has announced since the log was last read has not even that.
 */
export class GapReconciliation {
  constructor(private readonly options: GapReconciliationOptions) {}

  /** At most ten thousand sequences. Throws unavailable where too much waits to be accepted. */
  async find(endpoint: Stored<WebhookEndpoint>, since: Date): Promise<WebhookGap[]> {
    // In this order: what is accepted in between is found twice, and not missed.
    const waiting = await this.findWaiting(endpoint, since);
    const stored = await this.findStored(endpoint, since);
    return toGaps([...stored, ...waiting]);
  }

  private async findStored(
    { state, tenant: { environmentId } }: Stored<WebhookEndpoint>,
    since: Date,
  ): Promise<Missing[]> {
    const { replays, history } = this.options;
    const key = { environmentId, endpointId: state.id };
    const lacking = await replays.findLacking(key, since, sequencesMax);
    // One message tells what all of the same id are about: the lowest one's, for the highest may be on its way into the store.
    const examples = new Map(
      lacking.toReversed().map(({ subscriptionId, messageId }) => [subscriptionId, messageId]),
    );
    const types = await history.findTypes(environmentId, [...examples.values()]);
    return lacking.flatMap(({ subscriptionId: id, sequence }) => {
      const type = types.get(examples.get(id) ?? '');
      return type === undefined ? [] : [{ id, sequence, type }];
    });
  }

  /** What was announced and not accepted yet. */
  private async findWaiting(
    { state, tenant }: Stored<WebhookEndpoint>,
    since: Date,
  ): Promise<Missing[]> {
    const { messages, logger } = this.options;
    const entries = await this.readTails();
    const wanted = entries
      .filter(({ insertedAt }) => insertedAt >= since)
      .flatMap((entry) => readAnnouncement(entry, logger)?.event ?? [])
      .filter(({ environmentId, type }) => {
        return environmentId === tenant.environmentId && state.events.includes(type);
      });
    const known = await messages.findKnown(wanted.map(messageId));
    return wanted
      .filter((event) => !known.has(messageId(event)))
      .map(({ subscriptionId: id, sequence, type }) => ({ id, sequence, type }));
  }

  private async readTails(): Promise<LoggedEvent[]> {
    const tails = await Promise.all(this.options.owners.map((owner) => this.readTail(owner)));
    return tails.flat();
  }

  /** The entries of a log after those that are known to be accepted. */
  private async readTail(owner: EventLogOwner): Promise<LoggedEvent[]> {
    const cursor = await this.options.cursors.find(owner.name);
    const tail: LoggedEvent[] = [];
    let start: LogStart = cursor === undefined ? { beginning: true } : { after: cursor.position };
    for (let page = 1; page <= pagesMax; page += 1) {
      const { entries, hasMore } = await owner.read(start, pageMax);
      tail.push(...entries);
      const last = entries.at(-1);
      if (!hasMore || last === undefined) return tail;
      start = { after: last.position };
    }
    throw new DomainError('unavailable', 'EVENTS_WAITING', 'Service unavailable');
  }
}

function toGaps(missing: readonly Missing[]): WebhookGap[] {
  const byId = Map.groupBy(missing, ({ id }) => id);
  let room = sequencesMax;
  return [...byId].flatMap(([id, some]) => {
    const all = [...new Set(some.map(({ sequence }) => sequence))].sort((a, b) => a - b);
    const sequences = all.slice(0, room);
    room -= sequences.length;
    const isCheckout = some[0]?.type.startsWith('checkout.') === true;
    return sequences.length === 0 ? [] : [{ id, isCheckout, sequences }];
  });
}
