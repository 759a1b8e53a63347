import type { Stored } from '@billing/chassis/aggregate';
import type { Logger } from '@billing/chassis/logging';
import { asksFor, asksForSubject, subjectTypeOf } from '@billing/kernel/input/webhook-endpoint';
import {
  type AwaitedEvents,
  type AwaitedEventStore,
  subjectTypeOfWait,
} from '../message/awaited-event-store';
import type { DeliveryHistoryStore } from './history-store';
import { messageId, type MessageStore, restoreCodesField } from '../message/message-store';
import { readAnnouncement } from '../message/accept-in-order';
import type { LogTails } from './read-log-tails';
import type { ReplayStore } from './replay-store';
import type { WebhookEndpoint } from '../endpoint/endpoint';

/** Undelivered events of one subject at an endpoint. */
export interface WebhookGap {
  /** Such as `subscription`. */
  readonly subjectType: string;
  /** The id of the subject. */
  readonly id: string;
  /** Ascending. */
  readonly sequences: readonly number[];
}

export interface GapReconciliationDependencies {
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
  readonly subjectType: string;
}

const sequencesMax = 10_000;

/**
 * Finds the events that an endpoint should have received and has not. Everything accepted for the
 * endpoint has a delivery, so an undelivered event is a delivery that never succeeded. Two kinds
 * have no delivery yet: events logged since the log was last read, and those that wait for a
 * missing event.
 */
export class GapReconciliation {
  constructor(private readonly dependencies: GapReconciliationDependencies) {}

  /**
   * Returns at most ten thousand sequences. Throws unavailable if too many events wait to be
   * accepted.
   */
  async find(endpoint: Stored<WebhookEndpoint>, since: Date): Promise<WebhookGap[]> {
    // The order matters: an event accepted in between is found twice instead of missed.
    const waiting = await this.findWaiting(endpoint, since);
    const held = await this.findBlocked(endpoint, since);
    const stored = await this.findStored(endpoint, since);
    return toGaps([...stored, ...waiting, ...held]);
  }

  private async findStored(
    { state, tenant: { environmentId } }: Stored<WebhookEndpoint>,
    since: Date,
  ): Promise<Missing[]> {
    const { replays, history } = this.dependencies;
    const key = { environmentId, endpointId: state.id };
    const lacking = await replays.findUndelivered(key, since, sequencesMax);
    // One message per id determines the kind of aggregate: the one with the lowest sequence,
    // because the highest may not be stored yet.
    const examples = new Map(
      lacking.toReversed().map(({ subscriptionId, messageId }) => [subscriptionId, messageId]),
    );
    const types = await history.findTypes(environmentId, [...examples.values()]);
    return lacking.flatMap(({ subscriptionId: id, sequence }) => {
      const type = types.get(examples.get(id) ?? '');
      return type === undefined ? [] : [{ id, sequence, subjectType: subjectTypeOf(type) }];
    });
  }

  /** Events that are announced and not accepted yet. */
  private async findWaiting(
    { state, tenant }: Stored<WebhookEndpoint>,
    since: Date,
  ): Promise<Missing[]> {
    const { messages, logger, tails } = this.dependencies;
    const entries = await tails.read();
    const wanted = entries
      .filter(({ insertedAt }) => insertedAt >= since)
      .flatMap((entry) => readAnnouncement(entry, logger)?.event ?? [])
      .filter(({ environmentId, type }) => {
        return environmentId === tenant.environmentId && asksFor(state.events, type);
      });
    const known = await messages.findKnown(wanted.map(messageId));
    return wanted
      .filter((event) => !known.has(messageId(event)))
      .map(({ subscriptionId: id, sequence, subjectType }) => ({ id, sequence, subjectType }));
  }

  /** Events that no log has, and those that wait for one of them. */
  private async findBlocked(
    { state, tenant: { environmentId } }: Stored<WebhookEndpoint>,
    since: Date,
  ): Promise<Missing[]> {
    const { awaited, messages } = this.dependencies;
    const [waits, missing] = await Promise.all([
      awaited.findOfEnvironment(environmentId, since),
      awaited.findMissing(environmentId, since),
    ]);
    const waiting = waits.flatMap(keysOf);
    const known = await messages.findKnown(waiting.map(messageId));
    return (
      [...waiting.filter((key) => !known.has(messageId(key))), ...missing]
        .map((one) => ({
          id: one.subscriptionId,
          sequence: one.sequence,
          subjectType: subjectTypeOfWait(one),
        }))
        // The type of a missing event is unknown: an endpoint that asks for any type of its subject
        // may have wanted it.
        .filter(({ subjectType }) => asksForSubject(state.events, subjectType))
    );
  }
}

function keysOf(wait: AwaitedEvents) {
  const { _id, environmentId, from, upTo } = wait;
  const subjectType = subjectTypeOfWait(wait);
  const length = Math.min(upTo - from + 1, sequencesMax);
  return Array.from({ length }, (_, index) => ({
    environmentId,
    subscriptionId: _id,
    subjectType,
    sequence: from + index,
    ...restoreCodesField(wait),
  }));
}

function toGaps(missing: readonly Missing[]): WebhookGap[] {
  const byId = Map.groupBy(missing, ({ id }) => id);
  let room = sequencesMax;
  return [...byId].flatMap(([id, some]) => {
    const all = [...new Set(some.map(({ sequence }) => sequence))].sort((a, b) => a - b);
    const sequences = all.slice(0, room);
    room -= sequences.length;
    const [first] = some;
    if (first === undefined || sequences.length === 0) return [];
    return [{ id, subjectType: first.subjectType, sequences }];
  });
}
