import type { BalanceEntry } from '@billing/proto/billing/checkout/v1/balance';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import type { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import type { Dispute, Refund } from '@billing/proto/billing/checkout/v1/refund';
import type { Customer } from '@billing/proto/billing/customer/v1/customer';
import type { AuditEntry } from '@billing/proto/billing/identity/v1/operator';
import type { SubscriptionWebhook } from '@billing/proto/billing/notifier/v1/webhook_delivery';
import type { SubscriptionChange } from '@billing/proto/billing/subscription/v1/change';
import type { Plan } from '@billing/proto/billing/subscription/v1/plan';
import { toJsonBalanceEntry } from '@billing/proto/json/balance';
import { toJsonSubscriptionChange } from '@billing/proto/json/subscription-change';
import { toJsonCreditNote } from '@billing/proto/json/credit-note/credit-note';
import { toJsonDispute, toJsonRefund } from '@billing/proto/json/credit-note/refund';
import { toJsonInvoice } from '@billing/proto/json/invoice';
import { toJsonTime } from '@billing/proto/json/scalars';
import { toJsonSubscription } from '@billing/proto/json/subscription';
import { webhookDeliveryStatuses } from '@billing/proto/values/notifier';
import { present } from '../../http/answer';
import { type NamedAuditEntry, toJsonAuditEntry } from '../route/operator-json';

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
  /** Changes of the subscriptions, their pauses among them. */
  readonly planChanges: readonly Source<SubscriptionChange>[];
  readonly balanceEntries: Source<BalanceEntry>;
  readonly creditNotes: Source<CreditNote>;
  readonly refunds: Source<Refund>;
  readonly disputes: Source<Dispute>;
  /** Webhooks of each subscription. */
  readonly webhooks: readonly Source<SubscriptionWebhook>[];
  readonly changes: Source<AuditEntry>;
  /** True if the customer has subscriptions whose webhooks or changes were not read. */
  readonly isPartial: boolean;
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
      /** The charged card; null: none, or unknown. */
      readonly card: ReturnType<typeof toJsonInvoice>['payments'][number]['card'];
    }
  | {
      readonly kind: 'SUBSCRIPTION';
      readonly step: SubscriptionStep;
      readonly subscriptionId: string;
      readonly productName: string;
    }
  | {
      readonly kind: 'PLAN_CHANGE';
      readonly change: PlanChange;
      readonly subscriptionId: string;
      readonly productName: string;
    }
  | {
      readonly kind: 'BALANCE';
      readonly entry: ReturnType<typeof toJsonBalanceEntry>;
      readonly numbers: Numbers;
    }
  | {
      readonly kind: 'CREDIT_NOTE';
      readonly creditNoteId: string;
      readonly number: string;
      readonly amount: number;
      readonly currency: string;
      readonly invoiceId: string;
      readonly invoiceNumber: string | null;
    }
  | {
      readonly kind: 'REFUND';
      readonly refund: ReturnType<typeof toJsonRefund>;
      readonly numbers: Numbers;
    }
  | {
      readonly kind: 'DISPUTE';
      readonly step: 'OPENED' | 'CLOSED';
      readonly dispute: ReturnType<typeof toJsonDispute>;
      readonly numbers: Numbers;
    }
  | {
      readonly kind: 'WEBHOOK';
      readonly type: string;
      readonly subscriptionId: string;
      readonly deliveries: readonly { readonly endpointId: string; readonly status: string }[];
    }
  | { readonly kind: 'CHANGE'; readonly entry: NamedAuditEntry }
);

/** Numbers of the documents that an event names; null for one that is not known. */
interface Numbers {
  readonly invoice: string | null;
  readonly creditNote: string | null;
}

const subscriptionSteps = ['CREATED', 'TRIAL_ENDED', 'CANCELLATION_REQUESTED', 'ENDED'] as const;
type SubscriptionStep = (typeof subscriptionSteps)[number];
type PlanChange = ReturnType<typeof toJsonSubscriptionChange>['kind'];

// As many as a person reads; the lists of the page have the rest.
const eventsMax = 200;

/**
 * Merges the events of all sources, newest first. Events older than the oldest one of a source that
 * is cut are left out, so that the activity has no holes. Two remain: webhooks are kept for 30 days
 * only, and payments of invoices before the newest ones are not read.
 */
export function activityOf(history: CustomerHistory): {
  readonly data: readonly ActivityEvent[];
  readonly isMore: boolean;
} {
  const { customer, invoices, plans, planChanges, webhooks, changes } = history;
  const { balanceEntries, creditNotes, refunds, disputes } = history;
  const numbersOf = numbersIn(history);
  const nameOf = productNames(plans);
  const created = { id: 'customer', at: toJsonTime(customer.createdAt) } as const;
  const all: readonly ActivityEvent[] = [
    { ...created, kind: 'CUSTOMER_CREATED' },
    ...invoices.items.flatMap(invoiceEvents),
    ...plans.flatMap(subscriptionEvents),
    ...planChanges.flatMap(({ items }) => items.flatMap((one) => planChangeEvents(one, nameOf))),
    ...balanceEntries.items.map((entry) => balanceEvent(entry, numbersOf)),
    ...creditNotes.items.flatMap((note) => creditNoteEvents(note, numbersOf)),
    ...refunds.items.map((refund) => refundEvent(refund, numbersOf)),
    ...disputes.items.flatMap((dispute) => disputeEvents(dispute, numbersOf)),
    ...webhooks.flatMap(({ items }) => items.map(webhookEvent)),
    ...changes.items.map((entry) => changeEvent(entry, history)),
  ];
  const floors = [
    floorOf(invoices, ({ createdAt }) => createdAt),
    floorOf(balanceEntries, ({ createdAt }) => createdAt),
    floorOf(creditNotes, ({ issuedAt }) => issuedAt),
    floorOf(refunds, ({ createdAt }) => createdAt),
    floorOf(disputes, ({ openedAt }) => openedAt),
    ...planChanges.map((source) => floorOf(source, ({ createdAt }) => createdAt)),
    ...webhooks.map((source) => floorOf(source, ({ occurredAt }) => occurredAt)),
    floorOf(changes, ({ environmentTime, at }) => environmentTime ?? at),
  ];
  const floor = Math.max(...floors);
  const data = all
    .filter(({ at }) => Date.parse(at) >= floor)
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at) || rankOf(a) - rankOf(b))
    .slice(0, eventsMax);
  return { data, isMore: data.length < all.length || history.isPartial };
}

// Order of events at the same time: a result is above its cause, the customer's creation last.
const ranks = [
  ...['DISPUTE', 'REFUND', 'CREDIT_NOTE', 'PAYMENT', 'INVOICE', 'BALANCE', 'WEBHOOK'],
  ...['PLAN_CHANGE', 'SUBSCRIPTION', 'CHANGE'],
];

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
    card: payment.card,
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

// A change that took effect.
function planChangeEvents(
  change: SubscriptionChange,
  nameOf: (subscriptionId: string) => string,
): readonly ActivityEvent[] {
  const { id, subscriptionId, kind, status, effectiveAt: at } = toJsonSubscriptionChange(change);
  if (status !== 'APPLIED') return [];
  const productName = nameOf(subscriptionId);
  return [{ id, at, kind: 'PLAN_CHANGE', change: kind, subscriptionId, productName }];
}

function productNames(plans: readonly Plan[]): (subscriptionId: string) => string {
  const names = new Map(
    plans.map(({ subscription, productName }) => [present(subscription).id, productName]),
  );
  return (id) => names.get(id) ?? 'a subscription';
}

interface Named {
  readonly invoiceId?: string | null;
  readonly creditNoteId?: string | null;
}

type NumbersOf = (named: Named) => Numbers;

function numbersIn({ invoices, creditNotes }: CustomerHistory): NumbersOf {
  const documents = [...invoices.items, ...creditNotes.items];
  const numbers = new Map(documents.map(({ id, number = null }) => [id, number]));
  return ({ invoiceId, creditNoteId }) => ({
    invoice: numbers.get(invoiceId ?? '') ?? null,
    creditNote: numbers.get(creditNoteId ?? '') ?? null,
  });
}

function balanceEvent(entry: BalanceEntry, numbersOf: NumbersOf): ActivityEvent {
  const json = toJsonBalanceEntry(entry);
  const numbers = numbersOf(json);
  return { id: json.id, at: json.createdAt, kind: 'BALANCE', entry: json, numbers };
}

// A note without a number is not issued yet.
function creditNoteEvents(note: CreditNote, numbersOf: NumbersOf): readonly ActivityEvent[] {
  const { id, number, total: amount, currency, invoiceId, issuedAt: at } = toJsonCreditNote(note);
  if (number === null) return [];
  const { invoice: invoiceNumber } = numbersOf({ invoiceId });
  const about = { creditNoteId: id, number, amount, currency, invoiceId, invoiceNumber };
  return [{ id, at, kind: 'CREDIT_NOTE', ...about }];
}

function refundEvent(refund: Refund, numbersOf: NumbersOf): ActivityEvent {
  const json = toJsonRefund(refund);
  const at = json.settledAt ?? json.createdAt;
  return { id: json.id, at, kind: 'REFUND', refund: json, numbers: numbersOf(json) };
}

function disputeEvents(dispute: Dispute, numbersOf: NumbersOf): readonly ActivityEvent[] {
  const json = toJsonDispute(dispute);
  const { id, openedAt, closedAt } = json;
  const about = { kind: 'DISPUTE' as const, dispute: json, numbers: numbersOf(json) };
  const opened: ActivityEvent = { id, at: openedAt, step: 'OPENED', ...about };
  if (closedAt === null) return [opened];
  return [opened, { id: `${id} closed`, at: closedAt, step: 'CLOSED', ...about }];
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
  { operatorNames, plans }: Pick<CustomerHistory, 'operatorNames' | 'plans'>,
): ActivityEvent {
  const named = plans.map(({ subscription, productName }) => [
    present(subscription).id,
    productName,
  ]);
  const names = Object.fromEntries(named) as Record<string, string>;
  const json = { ...toJsonAuditEntry(entry, operatorNames), names };
  return { id: json.id, at: json.environmentTime ?? json.at, kind: 'CHANGE', entry: json };
}
