import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import type { Completion } from '@billing/chassis/outbox-progress';
import { type Invoice, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import type { BillingReason, BillPeriod } from './billing';
import type { CustomerFacts } from './creation-input';
import { withCustomer } from './customer';
import type { CustomerClient } from './customer-client';
import { unlessNotFound } from '@billing/kernel/domain-error';
import { fixCurrency } from './peers';
import { type FailedTry, holdBill, nextTry } from './held-bill';
import type { InvoiceClient } from './invoice-client';
import { toProtoNewInvoice } from './invoice-rpc';
import { noteEndInvoice, noteInvoice } from './open-invoices';
import { type Closing, periodOf, type Subscription } from './subscription';
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
import { settleUsage, type SettlementDependencies } from './usage-client';
import { type UsageLine, usageLines } from './usage-line';
import { pinnedSet, pinRates } from './usage-period';
import { meterPricesOf } from './usage-period-rpc';
import { fromProtoUsageLine } from './usage-rpc';
import { lastPeriod, type Settlement, settlementBefore } from './usage-settlement';

/** What bills are made with. */
export interface BillingDependencies extends SettlementDependencies {
  readonly invoices: InvoiceClient;
  readonly customers: CustomerClient;
  /** Called when the last bill left an amount unsettled that was owed to the customer. */
  readonly onDroppedCredits: (id: string, tenant: Tenant) => void;
}

/** The call that makes a bill, and the command that it completes where nothing else does. */
export interface Attempt {
  readonly context: CallContext;
  readonly completes?: Completion | undefined;
}

/** Bills a period that was entered, and the usage of those before it. False: its bill is held, or the subscription ended meanwhile. */
export async function tryPeriod(
  stored: Stored<Subscription>,
  payload: BillPeriod['payload'],
  { context, completes }: Attempt,
  dependencies: BillingDependencies,
): Promise<boolean> {
  const { state } = stored;
  const { invoiceId, periodIndex } = payload;
  const set =
    pinnedSet(state, periodIndex) ??
    (await meterPricesOf(stored, periodIndex, context, dependencies.peers)).set;
  const settlement = settlementBefore(periodIndex);
  const [settled, customer] = await Promise.all([
    settleUsage(stored, settlement, context, dependencies),
    presentCustomer(state, payload.reason, context, dependencies),
  ]);
  // A customer's first invoice fixes their currency; a subscription that is there keeps its own.
  if (customer !== undefined && !customer.isCurrencyFixed) {
    const wanted = { id: customer.id, currency: state.price.currency };
    await unlessNotFound(fixCurrency(dependencies.peers, wanted, context));
  }
  const { recurring, ...bill } = periodBill(state, periodIndex, settled ?? []);
  if (!bill.isBillable) {
    return hold(stored, { bill: periodIndex, settlements: [settlement] }, context, dependencies);
  }
  const { lines, refunds } = bill;
  const isDiscounted = isBillDiscounted(state, { ...payload, lines });
  const wanted = { ...payload, isDiscounted, period: recurring.period, recurring, usage: lines };
  const request = toProtoNewInvoice(withCustomer(state, customer), wanted);
  const { invoice, collecting } = await dependencies.invoices.create(request, context);
  // The subscription was cancelled during the call, and a late repeat found the place of the invoice taken.
  if (invoice?.status === InvoiceStatus.INVOICE_STATUS_VOID) return false;
  const note = (current: Subscription) => {
    const rated = pinRates(current, { periodIndex, set });
    const billed = noteBill(rated, periodIndex, { refunds });
    const begun = isDiscounted ? beginDiscount(billed, recurring.period.start) : billed;
    const known = withCustomer(begun, customer);
    return noteInvoice(known, { invoiceId, periodIndex, isCollecting: collecting });
  };
  await dependencies.subscriptions.note(state.id, context, note, { completes });
  return true;
}

/** What the bill of the end takes over from the invoice of the running period, where that was voided or never made. */
export interface Owed {
  readonly isVoided: boolean;
  readonly lines: readonly UsageLine[];
  /** What was settled for it. */
  readonly settlements: readonly Settlement[];
}

export const nothingOwed: Owed = { isVoided: false, lines: [], settlements: [] };

/** The usage of earlier periods that the invoice of the last one billed before it was voided. */
export async function usageOwed(
  stored: Stored<Subscription>,
  voided: Invoice | undefined,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<Owed> {
  if (voided === undefined) {
    // It was never made, and never will be; the usage that it would have billed may have been settled for it.
    const settlement = settlementBefore(stored.state.periodIndex ?? 0);
    const settled = await settleUsage(stored, settlement, context, dependencies);
    return { isVoided: true, lines: usageLines(settled ?? []), settlements: [settlement] };
  }
  if (voided.status !== InvoiceStatus.INVOICE_STATUS_VOID) return nothingOwed;
  const lines = voided.lineItems.map(fromProtoUsageLine).filter((line) => line !== undefined);
  return { isVoided: true, lines, settlements: [] };
}

/** Bills the usage of the period in which a subscription ended, and what is owed of earlier ones. False: the bill is held. */
export async function tryEnd(
  stored: Stored<Subscription>,
  { closing, owed }: { readonly closing: Closing; readonly owed: Owed },
  context: CallContext,
  dependencies: BillingDependencies,
): Promise<boolean> {
  const { state } = stored;
  const through = state.periodIndex ?? 0;
  const settlement = { key: 'end', through };
  const settled = await settleUsage(stored, settlement, context, dependencies);
  const bill = endBill(state, settled ?? [], owed.lines);
  // Whoever sells no usage has nothing to note either.
  const isNothing = settled === undefined && bill.lines.length + bill.refunds.length === 0;
  if (isNothing && state.usage.held === null) return true;
  const number = through + 1;
  if (!bill.isBillable) {
    const settlements = [...owed.settlements, settlement];
    const first = Math.min(state.usage.held?.bill ?? number, number);
    return hold(stored, { bill: first, settlements, closing }, context, dependencies);
  }
  const key = settlement.key;
  const invoiceId = await billUsage(
    stored,
    { key, bill, isVoided: owed.isVoided },
    context,
    dependencies,
  );
  const lateAt = settled === undefined ? null : lateBillAt(state);
  // One that was held until then leaves nothing, but what it bills may have been settled before.
  const laterAt = lateAt !== null && lateAt < context.now ? context.now : lateAt;
  await dependencies.subscriptions.note(state.id, context, (current) =>
    noteEndInvoice(
      noteBill(current, number, { refunds: bill.refunds, lateBillAt: laterAt }),
      invoiceId,
    ),
  );
  return true;
}

/** Bills what came after the end of a subscription for its last periods; what is still to be taken off lapses. False: the bill is held. */
export async function tryLate(
  stored: Stored<Subscription>,
  context: CallContext,
  dependencies: BillingDependencies,
): Promise<boolean> {
  const { state } = stored;
  const through = state.periodIndex ?? 0;
  const settlement = { key: 'late', through };
  const settled = await settleUsage(stored, settlement, context, dependencies);
  const bill = endBill(state, settled ?? [], []);
  const number = through + 2;
  if (!bill.isBillable) {
    return hold(stored, { bill: number, settlements: [settlement] }, context, dependencies);
  }
  const invoiceId = await billUsage(
    stored,
    { key: 'late', bill, isVoided: false },
    context,
    dependencies,
  );
  await dependencies.subscriptions.note(state.id, context, (current) =>
    noteEndInvoice(noteBill(current, number, { refunds: [] }), invoiceId),
  );
  if (bill.refunds.length > 0) dependencies.onDroppedCredits(state.id, stored.tenant);
  return true;
}

// Creation has just asked. Undefined where the customer is not known any more: what was known of them stays.
async function presentCustomer(
  { customer: { id } }: Subscription,
  reason: BillingReason,
  context: CallContext,
  { customers }: BillingDependencies,
): Promise<CustomerFacts | undefined> {
  return reason === 'SUBSCRIPTION_CREATE' ? undefined : customers.find(id, context);
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
  dependencies: BillingDependencies,
): Promise<string | undefined> {
  if (bill.lines.length === 0) return undefined;
  const invoiceId = derivedId(tenant.environmentId, state.id, key);
  const { start } = periodOf(state, state.periodIndex ?? 0);
  const reason = 'SUBSCRIPTION_CANCEL';
  const customer = await presentCustomer(state, reason, context, dependencies);
  const request = toProtoNewInvoice(withCustomer(state, customer), {
    invoiceId,
    reason,
    authorizedTransactionId: null,
    isDiscounted: isEndDiscounted(state, { start, isVoided }),
    period: lastPeriod(state),
    recurring: undefined,
    usage: bill.lines,
  });
  await dependencies.invoices.create(request, context);
  return invoiceId;
}

/** A bill that came to too much, and what it was made of. */
interface TooLarge {
  readonly bill: number;
  readonly settlements: readonly Settlement[];
  readonly closing?: Closing;
}

async function hold(
  { state: { id, usage } }: Stored<Subscription>,
  { bill, settlements, closing }: TooLarge,
  context: CallContext,
  { subscriptions }: BillingDependencies,
): Promise<boolean> {
  const settled = settlements.map((settlement) => {
    const { key, through, tries } = nextTry(usage, settlement);
    return { key, through, tries };
  });
  const failed: FailedTry = { bill, settled, closing: closing ?? null, now: context.now };
  await subscriptions.note(id, context, (current) => holdBill(current, failed));
  return false;
}
