import type { BalanceEntry } from '@billing/proto/billing/checkout/v1/balance';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import type { AuditEntry } from '@billing/proto/billing/identity/v1/operator';
import type { SubscriptionWebhook } from '@billing/proto/billing/notifier/v1/webhook_delivery';
import type { Plan } from '@billing/proto/billing/subscription/v1/plan';
import { toJsonBalanceEntry } from '@billing/proto/json/balance';
import { toJsonInvoice } from '@billing/proto/json/invoice';
import { toJsonTime } from '@billing/proto/json/scalars';
import { toJsonSubscription } from '@billing/proto/json/subscription';
import { webhookDeliveryStatuses } from '@billing/proto/values/notifier';
import { present } from '../../http/answer';
import { toJsonAuditEntry } from '../route/operator-json';

/** A list of events, newest first. */
export interface Source<T> {
  readonly items: readonly T[];
  /** True if there are older ones than these. */
  readonly isCut: boolean;
}

/** Records of a customer, each list newest first. */
export interface CustomerHistory {
  readonly customer: Customer;
  readonly invoices: Source<Invoice>;
  readonly plans: readonly Plan[];
  readonly balanceEntries: Source<BalanceEntry>;
  readonly webhooks: readonly SubscriptionWebhook[];
  readonly changes: Source<AuditEntry>;
  /** Names of the operators among the authors of the changes, by id. */
  readonly operatorNames: ReadonlyMap<string, string>;
}

/** One event of a customer's activity. `id` is unique within the activity. */
export type ActivityEvent = { readonly id: string; readonly at: string } & (
  | { readonly kind: 'CUSTOMER_CREATED' }
  | {
      readonly kind: 'INVOICE';
      readonly invoiceId: string;
      readonly number: string;
      readonly amount: number;
      readonly currency: string;
      readonly status: ReturnType<typeof toJsonInvoice>['status'];
    }
  | {
      readonly kind: 'PAYMENT';
      readonly invoiceId: string;
      readonly number: string | null;
      readonly amount: number;
      readonly currency: string;
      readonly status: ReturnType<typeof toJsonInvoice>['payments'][number]['status'];
      readonly failureCode: string | null;
    }
  | {
      readonly kind: 'SUBSCRIPTION';
      readonly step: SubscriptionStep;
      readonly subscriptionId: string;
      readonly productName: string;
    }
  | { readonly kind: 'BALANCE'; readonly entry: ReturnType<typeof toJsonBalanceEntry> }
  | {
      readonly kind: 'WEBHOOK';
      readonly type: string;
      readonly subscriptionId: string;
      readonly deliveries: readonly { readonly endpointId: string; readonly status: string }[];
    }
  | { readonly kind: 'CHANGE'; readonly entry: ReturnType<typeof toJsonAuditEntry> }
);

const subscriptionSteps = ['CREATED', 'TRIAL_ENDED', 'CANCELLATION_REQUESTED', 'ENDED'] as const;
type SubscriptionStep = (typeof subscriptionSteps)[number];

// As many as a person reads; the lists of the page have the rest.
const eventsMax = 200;

/**
 * Merges the events of all sources, newest first. Events older than the oldest one of a source that
 * is cut are left out, so that the activity has no holes.
 */
export function activityOf(history: CustomerHistory): {
  readonly data: readonly ActivityEvent[];
  readonly isMore: boolean;
} {
  const { customer, invoices, plans, balanceEntries, webhooks, changes } = history;
  const created = { id: 'customer', at: toJsonTime(customer.createdAt) } as const;
  const all: readonly ActivityEvent[] = [
    { ...created, kind: 'CUSTOMER_CREATED' },
    ...invoices.items.flatMap(invoiceEvents),
    ...plans.flatMap(subscriptionEvents),
    ...balanceEntries.items.map(balanceEvent),
    ...webhooks.map(webhookEvent),
    ...changes.items.map((entry) => changeEvent(entry, history.operatorNames)),
  ];
  const floors = [
    floorOf(invoices, ({ createdAt }) => createdAt),
    floorOf(balanceEntries, ({ createdAt }) => createdAt),
    floorOf(changes, ({ environmentTime, at }) => environmentTime ?? at),
  ];
  const floor = Math.max(...floors);
  const data = all
    .filter(({ at }) => Date.parse(at) >= floor)
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at) || rankOf(a) - rankOf(b))
    .slice(0, eventsMax);
  return { data, isMore: data.length < all.length };
}

// Order of events at the same time: a result is above its cause, the customer's creation last.
const ranks = ['PAYMENT', 'INVOICE', 'BALANCE', 'WEBHOOK', 'SUBSCRIPTION', 'CHANGE'];

function rankOf({ kind }: ActivityEvent): number {
  const rank = ranks.indexOf(kind);
  return rank === -1 ? ranks.length : rank;
}

/** Time before which a source may lack events, in milliseconds. */
function floorOf<T>({ items, isCut }: Source<T>, timeOf: (item: T) => Date | undefined): number {
  if (!isCut) return -Infinity;
  return Math.min(...items.map((item) => present(timeOf(item)).getTime()));
}

function invoiceEvents(invoice: Invoice): readonly ActivityEvent[] {
  const {
    id: invoiceId,
    number,
    total: amount,
    currency,
    status,
    ...json
  } = toJsonInvoice(invoice);
  const payments = [...json.payments].reverse().map(({ id, createdAt, ...payment }) => ({
    ...{ id, at: createdAt, kind: 'PAYMENT' as const, invoiceId, number, currency },
    ...{ amount: payment.amount, status: payment.status, failureCode: payment.failureCode },
  }));
  if (number === null) return payments;
  const about = { invoiceId, number, amount, currency, status };
  return [{ id: invoiceId, at: json.createdAt, kind: 'INVOICE', ...about }, ...payments];
}

function subscriptionEvents({ subscription, productName }: Plan): readonly ActivityEvent[] {
  const { id: subscriptionId, createdAt, ...json } = toJsonSubscription(present(subscription));
  const { trialEnd, canceledAt, endedAt, phase } = json;
  const isTrialOver = phase === 'REGULAR' || phase === 'PAUSED' || phase === 'ENDED';
  const trialEnded = isTrialOver && trialEnd !== null && (endedAt === null || trialEnd < endedAt);
  // A cancellation that ends the subscription immediately is one event.
  const isScheduledEnd = canceledAt !== null && canceledAt !== endedAt;
  const times: Readonly<Record<SubscriptionStep, string | null>> = {
    CREATED: createdAt,
    TRIAL_ENDED: trialEnded ? trialEnd : null,
    CANCELLATION_REQUESTED: isScheduledEnd ? canceledAt : null,
    ENDED: endedAt,
  };
  return subscriptionSteps.flatMap((step) => {
    const at = times[step];
    const id = `${subscriptionId} ${step}`;
    return at === null ? [] : [{ id, at, kind: 'SUBSCRIPTION', step, subscriptionId, productName }];
  });
}

function balanceEvent(entry: BalanceEntry): ActivityEvent {
  const json = toJsonBalanceEntry(entry);
  return { id: json.id, at: json.createdAt, kind: 'BALANCE', entry: json };
}

function webhookEvent(webhook: SubscriptionWebhook): ActivityEvent {
  const { messageId: id, type, subscriptionId, occurredAt, deliveries } = webhook;
  const sent = deliveries.map(({ endpointId, status }) => ({
    endpointId,
    status: webhookDeliveryStatuses.nameOf(status),
  }));
  const at = toJsonTime(occurredAt);
  return { id, at, kind: 'WEBHOOK', type, subscriptionId, deliveries: sent };
}

function changeEvent(
  entry: AuditEntry,
  operatorNames: CustomerHistory['operatorNames'],
): ActivityEvent {
  const json = toJsonAuditEntry(entry, operatorNames);
  return { id: json.id, at: json.environmentTime ?? json.at, kind: 'CHANGE', entry: json };
}
