import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { EventLogReads } from '@billing/chassis/event-log';
import { newId } from '@billing/chassis/ids';
import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import {
  type CatalogServiceServer,
  CatalogServiceService,
} from '@billing/proto/billing/catalog/v1/catalog';
import {
  type CheckoutServiceServer,
  CheckoutServiceService,
} from '@billing/proto/billing/checkout/v1/checkout';
import {
  type BrandingServiceServer,
  BrandingServiceService,
} from '@billing/proto/billing/checkout/v1/branding';
import {
  type CreditNoteServiceServer,
  CreditNoteServiceService,
} from '@billing/proto/billing/checkout/v1/credit_note';
import {
  type SellerServiceServer,
  SellerServiceService,
} from '@billing/proto/billing/checkout/v1/seller';
import {
  type CustomerServiceServer,
  CustomerServiceService,
} from '@billing/proto/billing/customer/v1/customer';
import {
  type EventLogEntry,
  type EventLogServiceServer,
  EventLogServiceService,
  type ReadEventLogRequest,
  type ReadEventLogResponse,
} from '@billing/proto/billing/event/v1/event_log';
import {
  type SubscriptionServiceServer,
  SubscriptionServiceService,
} from '@billing/proto/billing/subscription/v1/subscription';

/** One event in its owner's log. */
export interface LoggedEvent {
  /** `<aggregate id>:<sequence>`. */
  readonly id: string;
  /** Sorts by real time of insertion. */
  readonly position: string;
  readonly insertedAt: Date;
  /** CloudEvents JSON. */
  readonly envelope: string;
  readonly traceparent: string | undefined;
}

/**
 * Some entries of a log in order of insertion. Large entries shorten a page, so its length does not
 * show whether more follow.
 */
interface LogPage {
  readonly entries: readonly LoggedEvent[];
  readonly hasMore: boolean;
}

/** Start of a page: after an entry, at a real time, or at the beginning of the log. */
export type LogStart =
  { readonly after: string } | { readonly insertedAfter: Date } | { readonly beginning: true };

/** A service whose events become webhooks, and its event log. */
export interface EventLogOwner {
  readonly name: string;
  /**
   * Returns at most `limit` entries from a position on. `passed` reports the last position up to
   * which no entry is needed again, empty if all are needed.
   */
  read(start: LogStart, limit: number, passed?: string): Promise<LogPage>;
  /** Returns entries of one environment. */
  readEnvironment(environmentId: string, start: LogStart, limit: number): Promise<LogPage>;
  /** Returns the log's entries with these ids; at least one, if it has any. */
  find(ids: readonly string[]): Promise<LogPage>;
}

const readDeadlineMs = 10_000;

/** Connects to the owners of event logs, by their names and addresses. */
export function connectEventLogs<Name extends string>(
  service: Service,
  addresses: Readonly<Record<Name, string>>,
): Readonly<Record<Name, EventLogOwner>> {
  const owners = Object.entries<string>(addresses).map(([name, address]) => {
    const peer = service.peer<EventLogServiceServer>(EventLogServiceService, {
      address,
      withoutTenant: ['readEventLog', 'getEventLogEntries'],
    });
    const { clock } = service;
    const owner = eventLogOwner(name, {
      readEventLog: (request) => peer.readEventLog(request, ownContext(clock)),
      getEventLogEntries: (request) => peer.getEventLogEntries(request, ownContext(clock)),
    });
    return [name, owner] as const;
  });
  return Object.fromEntries(owners) as Record<Name, EventLogOwner>;
}

/** An owner whose log is read by the given calls. */
export function eventLogOwner(name: string, log: EventLogReads): EventLogOwner {
  return {
    name,
    read: async (start, limit, passed) =>
      fromProtoPage(await log.readEventLog(toProtoRequest({ start, limit, passed }))),
    readEnvironment: async (environmentId, start, limit) => {
      const request = { ...toProtoRequest({ start, limit, passed: undefined }), environmentId };
      return fromProtoPage(await log.readEventLog(request));
    },
    find: async (ids) => fromProtoPage(await log.getEventLogEntries({ ids: [...ids] })),
  };
}

function toProtoRequest({
  start,
  limit,
  passed,
}: {
  readonly start: LogStart;
  readonly limit: number;
  readonly passed: string | undefined;
}): ReadEventLogRequest {
  return {
    afterPosition: 'after' in start ? start.after : '',
    insertedAfter: 'insertedAfter' in start ? start.insertedAfter : undefined,
    limit,
    reader: passed === undefined ? '' : 'notifier',
    passedPosition: passed ?? '',
  };
}

function fromProtoPage({
  entries,
  hasMore,
}: Pick<ReadEventLogResponse, 'entries' | 'hasMore'>): LogPage {
  return { entries: entries.map(fromProtoEntry), hasMore };
}

function fromProtoEntry({
  id,
  position,
  insertedAt,
  envelopeJson,
  traceparent,
}: EventLogEntry): LoggedEvent {
  if (insertedAt === undefined) throw new Error(`Log entry ${position} has no time`);
  return {
    id,
    position,
    insertedAt,
    envelope: envelopeJson,
    traceparent: traceparent === '' ? undefined : traceparent,
  };
}

/** The context of a call made by a background job, which belongs to no environment. */
function ownContext(clock: Clock): CallContext {
  const now = clock.now();
  return {
    get tenant(): never {
      throw new Error('Event logs hold all environments');
    },
    now,
    scopes: [],
    requestId: newId(),
    deadline: new Date(now.getTime() + readDeadlineMs),
    signal: AbortSignal.timeout(readDeadlineMs),
  };
}

/** Services whose facts mails tell. */
export interface MailPeers {
  readonly customer: Peer<CustomerServiceServer>;
  readonly catalog: Peer<CatalogServiceServer>;
  readonly checkout: Peer<CheckoutServiceServer>;
  readonly branding: Peer<BrandingServiceServer>;
  readonly seller: Peer<SellerServiceServer>;
  readonly creditNote: Peer<CreditNoteServiceServer>;
  readonly subscription: Peer<SubscriptionServiceServer>;
}

export function connectMailPeers(
  service: Service,
  addresses: Readonly<Record<'customer' | 'catalog' | 'checkout' | 'subscription', string>>,
): MailPeers {
  const { checkout: address } = addresses;
  return {
    customer: service.peer<CustomerServiceServer>(CustomerServiceService, {
      address: addresses.customer,
    }),
    catalog: service.peer<CatalogServiceServer>(CatalogServiceService, {
      address: addresses.catalog,
    }),
    checkout: service.peer<CheckoutServiceServer>(CheckoutServiceService, { address }),
    branding: service.peer<BrandingServiceServer>(BrandingServiceService, { address }),
    seller: service.peer<SellerServiceServer>(SellerServiceService, { address }),
    creditNote: service.peer<CreditNoteServiceServer>(CreditNoteServiceService, { address }),
    subscription: service.peer<SubscriptionServiceServer>(SubscriptionServiceService, {
      address: addresses.subscription,
    }),
  };
}
