import type { Completion, Stored } from '@billing/chassis/aggregate';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { unlessNotFound } from '@billing/kernel/domain-error';
import { type Invoice, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import {
  hasWaitingBills,
  overLimitAttempt,
  type OverLimitBill,
  recordOverLimitBill,
} from '../over-limit/over-limit-bill';
import { fetchTaxCategories, withLineCategories } from '../peer/catalog';
import type { InvoiceClient } from '../peer/checkout';
import { type CustomerClient, fixCurrency } from '../peer/customer';
import { type SettlementDependencies, settleUsage } from '../peer/metering';
import { meterPricesOf, type PeriodPrices } from '../peer/period-prices';
import { fetchUsageFacts } from '../peer/usage-facts';
import type { BillPeriod } from '../subscription/command';
import { type CustomerFacts, withCustomer } from '../subscription/customer';
import { withoutFormerBuyer } from '../subscription/erased';
import { recordEndInvoice, recordInvoice } from '../subscription/open-invoices';
import { type BilledPutOff, nothingPutOff, putOffOn } from '../subscription/put-off';
import type { Closing } from '../subscription/over-limit-state';
import { lateBillNumber, lateKey } from '../subscription/late-bill';
import { currencyOf, type Subscription } from '../subscription/subscription';
import { keptBeforeChange } from '../subscription/change-at-renewal';
import { movedSet } from '../subscription/usage-stretch';
import { type Settlement, settlementBefore } from '../usage/settlement';
import { type UsageLine, usageLines } from '../usage/usage-line';
import { noMeters, pinnedSets, pinRates } from '../usage/usage-period';
import {
  beginDiscount,
  type Billed,
  endBill,
  lateBillAt,
  periodBill,
  recordBill,
  returnDiscount,
} from './bill';
import { toProtoPeriodInvoice } from './describe-period-invoice';
import { toProtoEndInvoice, usageLinesOf } from './describe-end-bill';

/** A bill whose invoice may exist already, because a restore has undone the bill. */
export interface RemadeBill {
  readonly invoiceId: string;
  readonly settlement: Settlement;
  /** Lines that it takes over from another invoice. */
  readonly owed: readonly UsageLine[];
}

export interface BillingDependencies extends SettlementDependencies {
  readonly invoices: InvoiceClient;
  readonly customers: CustomerClient;
  /** Records which invoice has billed the lines that a change has put off. */
  readonly changes: {
    readonly recordBilledOn: (id: string, invoiceId: string, context: CallContext) => Promise<void>;
  };
  /**
   * Has metering take the usage of an invoice that exists as its settlement, after a restore: the
   * settlement would lack events that are lost, and they would be billed again.
   */
  readonly adoptRemade: (
    stored: Stored<Subscription>,
    bill: RemadeBill,
    context: CallContext,
  ) => Promise<void>;
  /** Called when the invoice of a renewal was created, with the renewal's instant. */
  readonly onRenewalInvoiced: (at: Date, tenant: Tenant) => void;
  /** Called when the last bill left credit unsettled that was owed to the customer. */
  readonly onDroppedCredits: (id: string, tenant: Tenant) => void;
}

/** Call context of a bill, and the command that the bill completes where no other write does. */
export interface Attempt {
  readonly context: CallContext;
  readonly completes?: Completion | undefined;
}

/**
 * Bills a period that was entered, and the usage of the periods before it. Returns false when its
 * bill is over the limit or the subscription has ended in between.
 */
export async function attemptPeriodBill(
  stored: Stored<Subscription>,
  payload: BillPeriod['payload'],
  { context, completes }: Attempt,
  dependencies: BillingDependencies,
): Promise<boolean> {
  const { state } = stored;
  const { invoiceId, periodIndex } = payload;
  const { sets, taxCategories } = await ratesOf(stored, payload, context, dependencies);
  const settlement = settlementBefore(periodIndex);
  await dependencies.adoptRemade(stored, { invoiceId, settlement, owed: [] }, context);
  const [settled, customer] = await Promise.all([
    settleUsage(stored, settlement, context, dependencies),
    presentCustomer(state, payload, context, dependencies),
  ]);
  // A customer's first invoice fixes their currency; an existing subscription keeps its own.
  if (customer !== undefined && !customer.isCurrencyFixed) {
    const wanted = { id: customer.id, currency: currencyOf(state) };
    await unlessNotFound(fixCurrency(dependencies.peers, wanted, context));
  }
  const { recurring, putOff, ...bill } = periodBill(state, periodIndex, settled ?? []);
  if (!bill.isBillable) {
    return waitOverLimit(
      stored,
      { bill: periodIndex, settlements: [settlement] },
      context,
      dependencies,
    );
  }
  const { refunds, lines } = bill;
  const { items } = state;
  const billed = { items, lines };
  const { request, isDiscounted } = toProtoPeriodInvoice(state, payload, {
    bill: { ...bill, recurring, putOff },
    customer,
    taxCategories: await withLineCategories(dependencies.peers, taxCategories, billed, context),
  });
  const { invoice, collecting } = await dependencies.invoices.create(request, context);
  // The subscription was canceled during the call, and a late retry found the invoice's id taken.
  if (invoice?.status === InvoiceStatus.INVOICE_STATUS_VOID) return false;
  await recordBilledOn(putOff, invoiceId, context, dependencies);
  const recordBilled = (current: Subscription) => {
    const rated = keptBeforeChange(pinRates(current, { periodIndex, ...sets }));
    const billed = recordBill(rated, periodIndex, { refunds });
    const begun = isDiscounted ? beginDiscount(billed, periodIndex) : billed;
    const known = withCustomer(begun, customer);
    return recordInvoice(known, { invoiceId, periodIndex, isCollecting: collecting });
  };
  await dependencies.subscriptions.record(state.id, context, recordBilled, { completes });
  return true;
}

/**
 * Amounts that the final bill takes over from the running period's invoice, where that was voided
 * or never created.
 */
export interface FinalBillCarryOver {
  readonly isVoided: boolean;
  readonly lines: readonly UsageLine[];
  /** The settlements made for that invoice. */
  readonly settlements: readonly Settlement[];
}

export const nothingOwed: FinalBillCarryOver = { isVoided: false, lines: [], settlements: [] };

/**
 * Reads the usage of earlier periods that the last period's invoice billed before it was voided.
 */
export async function usageOfUnfinishedInvoice(
  stored: Stored<Subscription>,
  voided: Invoice | undefined,
  context: CallContext,
  dependencies: BillingDependencies,
): Promise<FinalBillCarryOver> {
  const settlement = settlementBefore(stored.state.periodIndex ?? 0);
  if (voided === undefined) {
    // The invoice was never created and never will be; usage may have been settled for it already.
    const settled = await settleUsage(stored, settlement, context, dependencies);
    return { isVoided: true, lines: usageLines(settled ?? []), settlements: [settlement] };
  }
  const { id: invoiceId } = voided;
  await dependencies.adoptRemade(stored, { invoiceId, settlement, owed: [] }, context);
  if (voided.status !== InvoiceStatus.INVOICE_STATUS_VOID) return nothingOwed;
  return { isVoided: true, lines: usageLinesOf(voided), settlements: [] };
}

/**
 * Bills the usage of the period in which a subscription ended, and what is owed for earlier ones.
 * Returns false when the bill is over the limit.
 */
export async function attemptFinalBill(
  stored: Stored<Subscription>,
  { closing, owed }: { readonly closing: Closing; readonly owed: FinalBillCarryOver },
  context: CallContext,
  dependencies: BillingDependencies,
): Promise<boolean> {
  const { state } = stored;
  const through = state.periodIndex ?? 0;
  const settlement = { key: 'end', through };
  const invoiceId = endInvoiceId(stored, settlement);
  const remade = { invoiceId, settlement, owed: owed.lines };
  await dependencies.adoptRemade(stored, remade, context);
  const settled = await settleUsage(stored, settlement, context, dependencies);
  const number = through + 1;
  // The lines put off that the voided invoice has billed are owed, too.
  const putOff = putOffOn(state, owed.isVoided ? [through, number] : [number]);
  const bill = endBill(state, settled ?? [], { owed: owed.lines, putOff });
  // A subscription without metered prices has nothing to record either.
  const isNothing = settled === undefined && bill.lines.length + bill.refunds.length === 0;
  if (isNothing && putOff.lines.length === 0 && !hasWaitingBills(state)) return true;
  if (!bill.isBillable) {
    const settlements = [...owed.settlements, settlement];
    return waitOverLimit(stored, { bill: number, settlements, closing }, context, dependencies);
  }
  const key = settlement.key;
  const billed = await billUsage(
    stored,
    { key, bill, putOff, isVoided: owed.isVoided },
    context,
    dependencies,
  );
  const lateAt = settled === undefined ? null : lateBillAt(state);
  // A bill that was over the limit until then leaves nothing, but its usage may have been settled
  // before.
  const laterAt = lateAt !== null && lateAt < context.now ? context.now : lateAt;
  await dependencies.subscriptions.record(state.id, context, (current) => {
    const next = { refunds: bill.refunds, lateBillAt: laterAt };
    const recorded = recordUsageBill(recordBill(current, number, next), billed);
    const returned = owed.isVoided && !billed.isDiscounted ? returnDiscount(recorded) : recorded;
    const isLast = laterAt === null && !hasWaitingBills(returned);
    return isLast ? withoutFormerBuyer(returned) : returned;
  });
  return true;
}

/**
 * Bills usage reported after the end of a subscription for its last periods; credit still to be
 * deducted lapses with the last such bill. Returns false when the bill is over the limit.
 */
export async function attemptLateBill(
  stored: Stored<Subscription>,
  { round, buyer }: { readonly round: number; readonly buyer?: string | undefined },
  context: CallContext,
  dependencies: BillingDependencies,
): Promise<boolean> {
  const { state } = stored;
  const key = lateKey(round);
  const settlement = { key, through: state.periodIndex ?? 0 };
  const invoiceId = endInvoiceId(stored, settlement);
  const remade = { invoiceId, settlement, owed: [] };
  await dependencies.adoptRemade(stored, remade, context);
  const settled = await settleUsage(stored, settlement, context, dependencies);
  const bill = endBill(state, settled ?? [], { owed: [], putOff: nothingPutOff });
  const number = lateBillNumber(state, round);
  if (!bill.isBillable) {
    return waitOverLimit(
      stored,
      { bill: number, settlements: [settlement] },
      context,
      dependencies,
    );
  }
  const late = { key, bill, putOff: nothingPutOff, isVoided: false, buyer };
  const billed = await billUsage(stored, late, context, dependencies);
  const { lateBillAt: nextAt, lateRound = round } = state.usage;
  const isLast = nextAt === null && round >= lateRound;
  const refunds = isLast ? [] : bill.refunds;
  await dependencies.subscriptions.record(state.id, context, (current) => {
    const recorded = recordUsageBill(recordBill(current, number, { refunds }), billed);
    return isLast ? withoutFormerBuyer(recorded) : recorded;
  });
  if (isLast && bill.refunds.length > 0) dependencies.onDroppedCredits(state.id, stored.tenant);
  return true;
}

// Creation has read the customer just before. Undefined for an unknown customer: the subscription
// keeps its last snapshot.
async function presentCustomer(
  { customer: { id } }: Subscription,
  { facts }: Pick<BillPeriod['payload'], 'facts'>,
  context: CallContext,
  { customers }: BillingDependencies,
): Promise<CustomerFacts | undefined> {
  return facts === undefined ? customers.find(id, context) : undefined;
}

/**
 * The sets of meter prices of a billed period, and the present tax categories of the products: a
 * renewal reads both in one call for each product.
 */
async function ratesOf(
  stored: Stored<Subscription>,
  { periodIndex, facts }: BillPeriod['payload'],
  context: CallContext,
  { peers }: BillingDependencies,
): Promise<Pick<PeriodPrices, 'sets' | 'taxCategories'>> {
  const { items } = stored.state;
  const pinned = pinnedSets(stored.state, periodIndex);
  const found =
    pinned === undefined ? await meterPricesOf(stored, periodIndex, context, peers) : undefined;
  const sets = pinned ?? found?.sets ?? noMeters(stored.state);
  if (found !== undefined && sets.set !== movedSet) return found;
  return { sets, taxCategories: facts ?? (await fetchTaxCategories(peers, items, context)) };
}

/** The invoice of a bill of usage alone. */
interface BilledUsage {
  /** Undefined: there was nothing to bill. */
  readonly invoiceId: string | undefined;
  readonly isDiscounted: boolean;
}

const nothingBilled: BilledUsage = { invoiceId: undefined, isDiscounted: false };

/** Later bills of the end know that this one has taken the discount. */
function recordUsageBill(
  subscription: Subscription,
  { invoiceId, isDiscounted }: BilledUsage,
): Subscription {
  const billed = isDiscounted
    ? beginDiscount(subscription, subscription.periodIndex ?? 0)
    : subscription;
  return recordEndInvoice(billed, invoiceId);
}

/**
 * Creates an invoice for usage and lines put off alone under an id of its own, and announces it;
 * creates none when there is nothing to bill.
 */
async function billUsage(
  stored: Stored<Subscription>,
  {
    key,
    bill,
    putOff,
    isVoided,
    buyer,
  }: {
    readonly key: string;
    readonly bill: Billed;
    readonly putOff: BilledPutOff;
    readonly isVoided: boolean;
    /** A deleted customer as it was. */
    readonly buyer?: string | undefined;
  },
  context: CallContext,
  dependencies: BillingDependencies,
): Promise<BilledUsage> {
  if (bill.lines.length + putOff.lines.length === 0) return nothingBilled;
  const { state } = stored;
  const invoiceId = endInvoiceId(stored, { key });
  const facts = await fetchUsageFacts(state, bill.lines, context, dependencies.peers);
  const content = { lines: bill.lines, putOff, isVoided, invoiceId, buyer, ...facts };
  const { request, isDiscounted } = toProtoEndInvoice(state, content);
  await dependencies.invoices.create(request, context);
  await recordBilledOn(putOff, invoiceId, context, dependencies);
  return { invoiceId, isDiscounted };
}

/** Id of an invoice of usage alone. */
function endInvoiceId(
  { state, tenant }: Stored<Subscription>,
  { key }: Pick<Settlement, 'key'>,
): string {
  return derivedId(tenant.environmentId, state.id, key);
}

async function recordBilledOn(
  { changeIds }: BilledPutOff,
  invoiceId: string,
  context: CallContext,
  { changes }: BillingDependencies,
): Promise<void> {
  for (const id of changeIds) await changes.recordBilledOn(id, invoiceId, context);
}

async function waitOverLimit(
  { state }: Stored<Subscription>,
  bill: OverLimitBill,
  context: CallContext,
  { subscriptions }: BillingDependencies,
): Promise<boolean> {
  const failed = overLimitAttempt(state, bill, context.now);
  await subscriptions.record(state.id, context, (current) => recordOverLimitBill(current, failed));
  return false;
}
