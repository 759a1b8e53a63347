import type { Stored } from '@billing/chassis/aggregate';
import type { Logger } from '@billing/chassis/logging';
import type { AwaitedEvents, AwaitedEventStore } from './awaited-event-store';
import type { DeliveryHistoryStore } from './delivery-history-store';
import { messageId, type MessageStore } from './message-store';
import { readAnnouncement } from './ordered-event-consumer';
import type { LogTails } from './log-tail-client';
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
  readonly tails: LogTails;
  readonly awaited: AwaitedEventStore;
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

/**
 * Finds what an endpoint should have got and has not. Everything that was accepted for it has a delivery, so what has not arrived is what
 * has a delivery that was never taken. What its owner has announced since the log was last read has not even that, nor has what waits for an
 * event that no log has.
 */
export class GapReconciliation {
  constructor(private readonly options: GapReconciliationOptions) {}

  /** At most ten thousand sequences. Throws unavailable where too much waits to be accepted. */
  async find(endpoint: Stored<WebhookEndpoint>, since: Date): Promise<WebhookGap[]> {
    // In this order: what is accepted in between is found twice, and not missed.
    const waiting = await this.findWaiting(endpoint, since);
    const held = await this.findHeld(endpoint, since);
    const stored = await this.findStored(endpoint, since);
    return toGaps([...stored, ...waiting, ...held]);
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
    const { messages, logger, tails } = this.options;
    const entries = await tails.read();
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

  /** Events that no log has, and those that wait for one of them. */
  private async findHeld(
    { state, tenant: { environmentId } }: Stored<WebhookEndpoint>,
    since: Date,
  ): Promise<Missing[]> {
    const { awaited, messages } = this.options;
    const [waits, missing] = await Promise.all([
      awaited.findOfEnvironment(environmentId, since),
      awaited.findMissing(environmentId, since),
    ]);
    const waiting = waits.flatMap(keysOf);
    const known = await messages.findKnown(waiting.map(messageId));
    return [...waiting.filter((key) => !known.has(messageId(key))), ...missing]
      .map(({ subscriptionId: id, sequence, isCheckout }) => ({
        id,
        sequence,
        type: isCheckout ? 'checkout.missing' : 'subscription.missing',
      }))
      .filter(({ type }) => isOfInterest(state, type));
  }
}

function keysOf({ _id, environmentId, isCheckout, from, upTo }: AwaitedEvents) {
  const length = Math.min(upTo - from + 1, sequencesMax);
  return Array.from({ length }, (_, index) => ({
    environmentId,
    subscriptionId: _id,
    isCheckout,
    sequence: from + index,
  }));
}

/** What kind of event is missing, its number does not tell: an endpoint that asks for any of that aggregate may have wanted it. */
function isOfInterest({ events }: WebhookEndpoint, type: string): boolean {
  const [aggregate = ''] = type.split('.');
  return events.some((event) => event.startsWith(`${aggregate}.`));
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
