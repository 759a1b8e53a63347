import { type Tenant, ownCall } from '@billing/chassis/call-context';
import { earliestIdAt } from '@billing/chassis/ids';
import { connectPeer } from '@billing/chassis/peer';
import {
  type DueWorkServiceServer,
  DueWorkServiceService,
  WorkClass,
} from '@billing/proto/billing/clock/v1/due_work';
import {
  type EventLogEntry,
  type EventLogServiceServer,
  EventLogServiceService,
} from '@billing/proto/billing/event/v1/event_log';
import { SubscriptionEvent } from '@billing/proto/billing/event/v1/subscription_event';
import {
  EnvironmentKind,
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import { BillingInterval } from '@billing/proto/billing/catalog/v1/catalog';
import {
  type ListedSession,
  type Session,
  type SessionServiceServer,
  SessionServiceService,
} from '@billing/proto/billing/checkout/v1/session';
import { RedemptionState } from '@billing/proto/billing/discount/v1/discount';
import {
  type UsageReportServiceServer,
  UsageReportServiceService,
} from '@billing/proto/billing/metering/v1/report';
import { toJsonSessionStatus } from '@billing/proto/json/checkout-session';
import { toJsonSubscription } from '@billing/proto/json/subscription';
import { checkUsage, lineOf, lineOfSpan, lineOfUncounted } from './usage/hours';
import type {
  ClosedCreditsPicture,
  EventPicture,
  SessionPicture,
  StoredUsagePicture,
} from './picture/picture';

/** The gRPC address of each service. */
export type ServiceAddresses = Readonly<Record<string, string>>;

const entriesPerPage = 1_000;
const sessionsPerPage = 100;
// Between the machines that created the environment and that logged its first events.
const clockSkewMs = 5 * 60_000;
const announcingServices = [
  'subscription',
  'checkout',
  'catalog',
  'customer',
  'discount',
  'metering',
];
const unreported = { reader: '', passedPosition: '' };

/** Looks up the environment of a key in identity, with its creation time. */
export async function environmentOf(
  addresses: ServiceAddresses,
  key: string,
): Promise<{ tenant: Tenant; createdAt: Date | undefined }> {
  const identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    address: addressOf(addresses, 'identity'),
    service: 'invariants',
    withoutTenant: ['authenticate'],
  });
  try {
    const { environment } = await identity.authenticate({ key }, ownCall());
    if (environment === undefined) throw new Error('The key belongs to no environment');
    const tenant = {
      environmentId: environment.id,
      organizationId: environment.organizationId,
      live: environment.kind === EnvironmentKind.ENVIRONMENT_KIND_LIVE,
      manualClock: false,
    };
    return { tenant, createdAt: environment.createdAt };
  } finally {
    identity.close();
  }
}

/** The events of an environment, in order. */
interface EnvironmentEvents {
  readonly events: EventPicture[];
  /** False if old events of the environment may have been deleted. */
  readonly isWhole: boolean;
}

/** Reads every stored event of an environment. */
export async function readEvents(
  addresses: ServiceAddresses,
  { environmentId, createdAt }: { environmentId: string; createdAt: Date | undefined },
  isOwn: (aggregateId: string) => boolean,
): Promise<EnvironmentEvents> {
  const since = createdAt && new Date(createdAt.getTime() - clockSkewMs);
  const logs = await Promise.all(
    announcingServices.map(async (service) => {
      const { entries, deletedBefore } = await readLog(addressOf(addresses, service), since);
      return { events: entries.map((entry) => toEventPicture(service, entry)), deletedBefore };
    }),
  );
  const events = logs
    .flatMap((log) => log.events)
    .filter((event) => event.environmentId === environmentId || isOwn(event.aggregateId));
  const oldest = earliestIdAt(since ?? new Date(0));
  return { events, isWhole: logs.every(({ deletedBefore }) => deletedBefore <= oldest) };
}

async function readLog(
  address: string,
  since: Date | undefined,
): Promise<{ entries: EventLogEntry[]; deletedBefore: string }> {
  const log = connectPeer<EventLogServiceServer>(EventLogServiceService, {
    address,
    service: 'invariants',
    withoutTenant: ['readEventLog'],
  });
  const entries: EventLogEntry[] = [];
  let deletedBefore = '';
  try {
    for (;;) {
      const afterPosition = entries.at(-1)?.position ?? '';
      const insertedAfter = afterPosition === '' ? since : undefined;
      const request = { ...unreported, afterPosition, insertedAfter, limit: entriesPerPage };
      const page = await log.readEventLog(request, ownCall());
      entries.push(...page.entries);
      deletedBefore ||= page.deletedBefore;
      if (!page.hasMore) return { entries, deletedBefore };
    }
  } finally {
    log.close();
  }
}

interface Envelope {
  readonly type: string;
  readonly subject: string;
  readonly sequence: number;
  readonly environmentid: string;
  readonly organizationid: string;
  readonly data: unknown;
}

function toEventPicture(service: string, entry: EventLogEntry): EventPicture {
  const envelope = JSON.parse(entry.envelopeJson) as Envelope;
  const type = envelope.type.replace(/^billing\./, '');
  const { subscription } = type.startsWith('subscription.')
    ? SubscriptionEvent.fromJSON(envelope.data)
    : { subscription: undefined };
  return {
    service,
    id: entry.id,
    position: entry.position,
    insertedAt: entry.insertedAt ?? new Date(0),
    environmentId: envelope.environmentid,
    organizationId: envelope.organizationid,
    aggregateId: envelope.subject,
    sequence: envelope.sequence,
    type,
    customerIds: erasing.has(service) ? customersIn(envelope.data) : [],
    subscription: subscription && toJsonSubscription(subscription),
  };
}

// The events of other services have ids of customers alone.
const erasing = new Set(['customer', 'subscription', 'checkout']);

/** Ids of the customers that the data of an event names. */
function customersIn(data: unknown): string[] {
  const named = /"(?:customerId|customer":\{"id)":"([0-9a-f-]{36})"/g;
  return [...JSON.stringify(data).matchAll(named)].map(([, id = '']) => id);
}

/** Reads every checkout session of an environment. */
export async function readSessions(
  addresses: ServiceAddresses,
  tenant: Tenant,
): Promise<SessionPicture[]> {
  const checkout = connectPeer<SessionServiceServer>(SessionServiceService, {
    address: addressOf(addresses, 'checkout'),
    service: 'invariants',
  });
  const sessions: SessionPicture[] = [];
  try {
    for (let page = 1; ; page += 1) {
      const request = { page, perPage: sessionsPerPage };
      const answer = await checkout.listSessions(request, { ...ownCall(), tenant });
      sessions.push(...answer.sessions.map(toSessionPicture));
      if (page * sessionsPerPage >= answer.total) return sessions;
    }
  } finally {
    checkout.close();
  }
}

/** Reads the sums of the closed credit grants of some customers. */
export async function readClosedCredits(
  addresses: ServiceAddresses,
  { tenant, customerIds }: { tenant: Tenant; customerIds: readonly string[] },
): Promise<ClosedCreditsPicture[]> {
  const metering = connectPeer<UsageReportServiceServer>(UsageReportServiceService, {
    address: addressOf(addresses, 'metering'),
    service: 'invariants',
  });
  const found: ClosedCreditsPicture[] = [];
  try {
    for (const customerId of customerIds) {
      const context = { ...ownCall(), tenant };
      const { accounts } = await metering.getClosedCredits({ customerId }, context);
      found.push(...accounts.map((one) => ({ ...one, customerId, count: Number(one.count) })));
    }
    return found;
  } finally {
    metering.close();
  }
}

/** Compares the stored usage of an environment with its events. */
export async function readStoredUsage(
  addresses: ServiceAddresses,
  { environmentId }: Tenant,
): Promise<StoredUsagePicture> {
  const request = { environmentId, customerId: '', repair: false };
  const found = { compared: 0, searchedEvents: 0 };
  const mismatches: string[] = [];
  const uncounted: string[] = [];
  for await (const page of checkUsage(addressOf(addresses, 'metering'), request)) {
    found.compared += page.compared + page.comparedSpans;
    found.searchedEvents += Number(page.searchedEvents);
    mismatches.push(...page.mismatches.map(lineOf), ...page.spanMismatches.map(lineOfSpan));
    uncounted.push(...page.uncounted.map(lineOfUncounted));
  }
  return { ...found, mismatches, uncounted };
}

const redeemed: readonly RedemptionState[] = [
  RedemptionState.REDEMPTION_STATE_HELD,
  RedemptionState.REDEMPTION_STATE_CONFIRMED,
];

function toSessionPicture({ session, redemptionState, isChanging }: ListedSession): SessionPicture {
  if (session === undefined) throw new Error('A listed session without its session');
  const interval = session.product?.price?.billingInterval;
  return {
    id: session.id,
    customerId: session.customerId === '' ? null : session.customerId,
    isPersonal: isPersonal(session),
    status: toJsonSessionStatus(session.status),
    discountId: session.discountId ?? null,
    invoiceId: session.invoiceId ?? null,
    subscriptionId: session.subscriptionId ?? null,
    isOneTime: interval === BillingInterval.BILLING_INTERVAL_ONE_TIME,
    hasRedemption: redeemed.includes(redemptionState),
    isChanging,
  };
}

function isPersonal({ customer, metadata }: Session): boolean {
  const { email = '', name = '', address } = customer ?? {};
  return email !== '' || name !== '' || address !== undefined || hasFields(metadata);
}

function hasFields(object: object | undefined): boolean {
  return Object.keys(object ?? {}).length > 0;
}

/**
 * Counts the pending work of each service: outboxes, steps in progress, and due work by the
 * environment's time.
 */
export async function countPending(
  addresses: ServiceAddresses,
  { environmentId, until }: { environmentId: string; until: Date },
): Promise<Record<string, number>> {
  const services = Object.entries(addresses).filter(([name]) => name !== 'gateway');
  const counts = await Promise.all(
    services.map(async ([service, address]) => {
      const work = connectPeer<DueWorkServiceServer>(DueWorkServiceService, {
        address,
        service: 'invariants',
        withoutTenant: ['getActivity'],
      });
      const workClass = WorkClass.WORK_CLASS_RENEWAL;
      try {
        const request = { environmentId, until, workClass };
        return [service, (await work.getActivity(request, ownCall())).pending] as const;
      } finally {
        work.close();
      }
    }),
  );
  return Object.fromEntries(counts);
}

function addressOf(addresses: ServiceAddresses, service: string): string {
  const address = addresses[service];
  if (address === undefined) throw new Error(`The address of ${service} is not known`);
  return address;
}
