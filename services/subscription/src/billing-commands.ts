import type { Stored } from '@billing/chassis/aggregate';
import type { CommandDelivery } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import { type Invoice, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import type { BillingReason, BillPeriod } from './billing';
import { endedWithin } from './cancellation';
import type { CustomerFacts } from './creation-input';
import type { CustomerClient } from './customer-client';
import { withCustomer } from './customer';
import type { InvoiceClient } from './invoice-client';
import { toProtoNewInvoice } from './invoice-rpc';
import { noteEndInvoice, noteInvoice } from './open-invoices';
import { periodOf, type Subscription } from './subscription';
import {
  beginDiscount,
  type Billed,
  endBill,
  isBillDiscounted,
  isEndDiscounted,
  lateBillAt,
  noteBill,
  periodBill,
} from './usage-bill';
import { settleUsage, type SettlementParts } from './usage-client';
import { type UsageLine, usageLines } from './usage-line';
import { pinnedSet, pinRates } from './usage-period';
import { meterPricesOf } from './usage-period-rpc';
import { fromProtoUsageLine } from './usage-rpc';
import { lastPeriod, settlementBefore } from './usage-settlement';

/** What bills are made with. */
export interface BillingParts extends SettlementParts {
  readonly invoices: InvoiceClient;
  readonly customers: CustomerClient;
  readonly logger: Logger;
}

/** Bills a period that was entered, and the usage of those before it. */
export async function billPeriod(
  payload: BillPeriod['payload'],
  { aggregateId: id, context, completion: completes }: CommandDelivery,
  parts: BillingParts,
): Promise<void> {
  const { subscriptions, invoices, peers } = parts;
  const { invoiceId, periodIndex } = payload;
  const stored = await subscriptions.get(id, context);
  const { state } = stored;
  // Ended in this very period: an invoice made now would charge for what nobody wants any more, before the command that voids it.
  if (endedWithin(state, periodIndex)) return;
  const set =
    pinnedSet(state, periodIndex) ?? (await meterPricesOf(stored, periodIndex, context, peers)).set;
  const [settled, customer] = await Promise.all([
    settleUsage(stored, settlementBefore(periodIndex), context, parts),
    presentCustomer(state, payload.reason, context, parts),
  ]);
  const { recurring, ...bill } = periodBill(state, periodIndex, settled ?? []);
  if (!bill.isBillable) return park(id, periodIndex, context, parts);
  const { lines, refunds } = bill;
  const isDiscounted = isBillDiscounted(state, { ...payload, lines });
  const wanted = { ...payload, isDiscounted, period: recurring.period, recurring, usage: lines };
  const request = toProtoNewInvoice(withCustomer(state, customer), wanted);
  const { invoice, collecting } = await invoices.create(request, context);
  // The subscription was cancelled during the call, and a late repeat found the place of the invoice taken.
  if (invoice?.status === InvoiceStatus.INVOICE_STATUS_VOID) return;
  const note = (current: Subscription) => {
    const rated = pinRates(current, { periodIndex, set });
    const billed = noteBill(rated, periodIndex, { refunds });
    const begun = isDiscounted ? beginDiscount(billed, recurring.period.start) : billed;
    const known = withCustomer(begun, customer);
    return noteInvoice(known, { invoiceId, periodIndex, isCollecting: collecting });
  };
  await subscriptions.note(id, context, note, { completes });
}

// Creation has just asked. Undefined where the customer is not known any more: what was known of them stays.
async function presentCustomer(
  { customer: { id } }: Subscription,
  reason: BillingReason,
  context: CallContext,
  { customers }: BillingParts,
): Promise<CustomerFacts | undefined> {
  return reason === 'SUBSCRIPTION_CREATE' ? undefined : customers.find(id, context);
}

/** What an invoice that was voided leaves to be billed. */
export interface Owed {
  readonly isVoided: boolean;
  readonly lines: readonly UsageLine[];
}

export const nothingOwed: Owed = { isVoided: false, lines: [] };

/** What the invoice of the period in which a subscription was cancelled billed of earlier usage. */
export async function usageOwed(
  voided: Invoice | undefined,
  { stored, periodIndex }: { readonly stored: Stored<Subscription>; readonly periodIndex: number },
  context: CallContext,
  parts: SettlementParts,
): Promise<Owed> {
  if (voided === undefined) {
    // It was never made, and never will be; the usage that it would have billed may have been settled for it.
    const settled = await settleUsage(stored, settlementBefore(periodIndex), context, parts);
    return { isVoided: true, lines: usageLines(settled ?? []) };
  }
  if (voided.status !== InvoiceStatus.INVOICE_STATUS_VOID) return nothingOwed;
  const lines = voided.lineItems.map(fromProtoUsageLine).filter((line) => line !== undefined);
  return { isVoided: true, lines };
}

/** Bills the usage of the period in which a subscription ended; `owed` is what a voided invoice billed of earlier periods. */
export async function billEnd(
  id: string,
  { isVoided, lines: owed }: Owed,
  context: CallContext,
  parts: BillingParts,
): Promise<void> {
  const { subscriptions } = parts;
  const stored = await subscriptions.get(id, context);
  const { periodIndex } = stored.state;
  if (periodIndex === null) return;
  const settled = await settleUsage(stored, { key: 'end', through: periodIndex }, context, parts);
  const bill = endBill(stored.state, settled ?? [], owed);
  // Whoever sells no usage has nothing to note either.
  if (settled === undefined && bill.lines.length + bill.refunds.length === 0) return;
  const number = periodIndex + 1;
  if (!bill.isBillable) return park(id, number, context, parts);
  const invoiceId = await billUsage(stored, { key: 'end', bill, isVoided }, context, parts);
  const lateAt = settled === undefined ? null : lateBillAt(stored.state);
  await subscriptions.note(id, context, (current) =>
    noteEndInvoice(
      noteBill(current, number, { refunds: bill.refunds, lateBillAt: lateAt }),
      invoiceId,
    ),
  );
}

/** Bills what came after the end of a subscription for its last periods; what is still to be taken off lapses. */
export async function billLate(
  id: string,
  context: CallContext,
  parts: BillingParts,
): Promise<void> {
  const stored = await parts.subscriptions.get(id, context);
  const { periodIndex } = stored.state;
  if (periodIndex === null) return;
  const settled = await settleUsage(stored, { key: 'late', through: periodIndex }, context, parts);
  const bill = endBill(stored.state, settled ?? [], []);
  const number = periodIndex + 2;
  if (!bill.isBillable) return park(id, number, context, parts);
  const invoiceId = await billUsage(stored, { key: 'late', bill, isVoided: false }, context, parts);
  await parts.subscriptions.note(id, context, (current) =>
    noteEndInvoice(noteBill(current, number, { refunds: [] }), invoiceId),
  );
}

/** Makes an invoice of usage alone under an id of its own, and tells it; none where there is nothing to bill. */
async function billUsage(
  { state, tenant }: Stored<Subscription>,
  {
    key,
    bill,
    isVoided,
  }: { readonly key: string; readonly bill: Billed; readonly isVoided: boolean },
  context: CallContext,
  parts: BillingParts,
): Promise<string | undefined> {
  if (bill.lines.length === 0) return undefined;
  const invoiceId = derivedId(tenant.environmentId, state.id, key);
  const { start } = periodOf(state, state.periodIndex ?? 0);
  const reason = 'SUBSCRIPTION_CANCEL';
  const customer = await presentCustomer(state, reason, context, parts);
  const request = toProtoNewInvoice(withCustomer(state, customer), {
    invoiceId,
    reason,
    authorizedTransactionId: null,
    isDiscounted: isEndDiscounted(state, { start, isVoided }),
    period: lastPeriod(state),
    recurring: undefined,
    usage: bill.lines,
  });
  await parts.invoices.create(request, context);
  return invoiceId;
}

async function park(
  id: string,
  bill: number,
  context: CallContext,
  { subscriptions, logger }: BillingParts,
): Promise<void> {
  await subscriptions.note(id, context, (current) => noteBill(current, bill, { isTooLarge: true }));
  const reason = 'USAGE_TOO_LARGE';
  logger.error({ alarm: 'subscription_parked', id, reason }, 'usage costs more than can be billed');
}
