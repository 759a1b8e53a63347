import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { Tenant } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import {
  type EventLogDocument,
  eventLogId,
  logEvent,
  openEventLog,
  toEnvelope,
} from '@billing/chassis/event-log';
import { newId } from '@billing/chassis/ids';
import { InsertBatches } from '@billing/chassis/inserts';
import { type RunningService, Service } from '@billing/chassis/service';
import type { testServiceConfiguration } from '@billing/chassis/testing';
import { SessionStatus } from '@billing/proto/billing/checkout/v1/session';
import { SessionEvent } from '@billing/proto/billing/event/v1/session_event';
import { SubscriptionEvent } from '@billing/proto/billing/event/v1/subscription_event';
import { SubscriptionStatus } from '@billing/proto/billing/subscription/v1/subscription';

// Owners of events for the notifier's integration tests.

interface Announcer {
  readonly id: string;
  readonly announced: number;
}

/** A service with aggregates that announce events, an event log, and calls. */
export interface EventOwner extends RunningService {
  /** Announces the next event of an aggregate. */
  announce(tenant: Tenant, aggregateId: string, type?: string): Promise<void>;
  /**
   * Logs an event that the stream does not deliver; `restoreCodes` are those of its subject after a
   * restore.
   */
  logOnly(
    tenant: Tenant,
    aggregateId: string,
    sequence: number,
    restoreCodes?: string,
  ): Promise<void>;
  /** Forgets logged events, as a restore to an instant before them does, and returns them. */
  forget(aggregateId: string, sequences: readonly number[]): Promise<EventLogDocument[]>;
  /** Has forgotten events again, as the database has that was replaced by its earlier copy. */
  haveAgain(entries: readonly EventLogDocument[]): Promise<void>;
  /** Publishes a logged event to the stream, again or for the first time. */
  publish(aggregateId: string, sequence: number): Promise<void>;
  /** Counts the aggregates with unpublished events. */
  countPending(): Promise<number>;
}

/** The events of an owner. */
interface Announcement {
  readonly service: string;
  readonly aggregate: string;
  /** The default type. */
  readonly type: string;
  /** Builds the data of an event of an aggregate. */
  readonly dataOf: (tenant: Tenant, id: string) => unknown;
}

export const subscriptions: Announcement = {
  service: 'subscription',
  aggregate: 'subscription',
  type: 'subscription.renewed',
  dataOf: (tenant, id) => SubscriptionEvent.toJSON(subscriptionEvent(tenant, id)),
};

export const checkoutSessions: Announcement = {
  service: 'checkout',
  aggregate: 'checkoutSession',
  type: 'checkout.completed',
  dataOf: (tenant, id) => SessionEvent.toJSON(sessionEvent(tenant, id)),
};

export const quietProducts: Announcement = {
  service: 'catalog',
  aggregate: 'product',
  type: 'product.created',
  dataOf: () => ({}),
};

function announcersOf({ aggregate }: Announcement): AggregateDefinition<Announcer> {
  return {
    collection: 'announcers',
    aggregate,
    resource: 'Announcer',
    toDocument: ({ announced }) => ({ announced }),
    fromDocument: ({ _id, announced }) => ({ id: _id, announced: Number(announced) }),
    encodeEvent: ({ data }) => data,
  };
}

export async function startOwner(
  announcement: Announcement,
  configuration: ReturnType<typeof testServiceConfiguration>,
  rpcs: Parameters<Service['serve']>[0] = [],
): Promise<EventOwner> {
  const { service: name, aggregate, type: usualType, dataOf } = announcement;
  const service = await Service.open(name, configuration);
  const announcers = service.aggregates(announcersOf(announcement));
  const eventLog = openEventLog(service.db);
  const running = await service.serve(rpcs);
  return {
    ...running,
    forget: async (aggregateId, sequences) => {
      const ids = sequences.map((sequence) => eventLogId({ aggregateId, sequence }));
      const forgotten = await eventLog.find({ _id: { $in: ids } }).toArray();
      await eventLog.deleteMany({ _id: { $in: ids } });
      return forgotten;
    },
    haveAgain: async (entries) => {
      for (const entry of entries) {
        await eventLog.replaceOne({ _id: entry._id }, entry, { upsert: true });
      }
    },
    logOnly: async (tenant, aggregateId, sequence, restoreCodes) => {
      const envelope = toEnvelope({
        service: name,
        aggregate,
        aggregateId,
        sequence,
        restoreCodes,
        type: usualType,
        at: systemClock.now(),
        tenant,
        data: JSON.stringify(dataOf(tenant, aggregateId)),
      });
      const entry = { _id: eventLogId({ aggregateId, sequence }), envelope, traceparent: null };
      await logEvent(new InsertBatches(eventLog), entry, systemClock);
    },
    publish: async (aggregateId, sequence) => {
      const _id = eventLogId({ aggregateId, sequence });
      const entry = await eventLog.findOne({ _id });
      if (entry === null) throw new Error('Such an event is not in the log');
      const subject = `${name}.${usualType}`;
      // With an id of its own, because the server drops ids that it has seen.
      const publication = { subject, id: `${_id}:${newId()}`, data: entry.envelope };
      await service.stream.publish(publication);
    },
    countPending: () => announcers.documents.countDocuments({ pendingSince: { $gt: new Date(0) } }),
    announce: async (tenant, id, type = usualType) => {
      const store = announcers.within({ tenant, now: systemClock.now() });
      const events = [{ type, data: dataOf(tenant, id) }];
      const { inserted } = await store.insert({
        state: { id, announced: 1 },
        events,
        commands: [],
      });
      if (inserted) return;
      await store.mutate(id, ({ announced }) => ({
        state: { id, announced: announced + 1 },
        events,
        commands: [],
      }));
    },
  };
}

/** Builds a subscription's event. */
export function subscriptionEvent({ organizationId }: Tenant, id: string): SubscriptionEvent {
  const at = new Date('2026-01-31T00:00:00.000Z');
  return SubscriptionEvent.fromPartial({
    subscription: {
      id,
      organizationId,
      customerId: newId(),
      status: SubscriptionStatus.SUBSCRIPTION_STATUS_ACTIVE,
      phase: 3,
      startAt: at,
      currentPeriodStart: at,
      currentPeriodEnd: at,
      createdAt: at,
      updatedAt: at,
    },
  });
}

/** Builds a checkout session's event. */
function sessionEvent({ organizationId }: Tenant, id: string): SessionEvent {
  const at = new Date('2026-01-31T00:00:00.000Z');
  return SessionEvent.fromPartial({
    session: {
      id,
      organizationId,
      customerId: newId(),
      status: SessionStatus.SESSION_STATUS_COMPLETE,
      expiresAt: at,
      createdAt: at,
      updatedAt: at,
    },
  });
}
