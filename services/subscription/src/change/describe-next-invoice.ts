import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import type {
  PreviewInvoice,
  PreviewNextInvoiceResponse,
} from '@billing/proto/billing/subscription/v1/change_service';
import { isBillDiscounted, periodBill } from '../billing/bill';
import { checkNotCanceled } from '../lifecycle/check-change';
import { fetchTaxCategories, withLineCategories } from '../peer/catalog';
import { toProtoNewInvoice } from '../peer/checkout';
import { quoteUsage, type SettlementDependencies } from '../peer/metering';
import type { Peers } from '../peer/peers';
import { nextPeriodIndex, periodOf } from '../subscription/billing-cycle';
import { beforeNextPeriod } from '../subscription/change-at-renewal';
import { monthlyAmountOf } from '../subscription/change-side';
import type { TaxCategories } from '../subscription/command';
import { type CustomerFacts, withCustomer } from '../subscription/customer';
import { takeDiscount } from '../subscription/discount';
import { withPutOffOn } from '../subscription/put-off';
import {
  currentPeriod,
  nextChange,
  nextInvoiceAt,
  type Subscription,
} from '../subscription/subscription';
import { type Settlement, settlementBefore } from '../usage/settlement';
import type { SettledUsage } from '../usage/usage-line';
import { checkNothingDue, validUntilOf } from './sign-preview';
import { readQuote } from './read-quote';

/** The next invoice of a subscription; undefined: none follows. */
export interface NextInvoice {
  readonly nextInvoice: PreviewInvoice | undefined;
  /** True: usage may be added to it. */
  readonly nextInvoiceEstimated: boolean;
}

/** Computes the next invoice as things stand. Nothing is stored, and nothing is promised. */
export async function previewNextInvoice(
  subscriptionId: string,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<PreviewNextInvoiceResponse> {
  const { subscriptions, peers } = dependencies;
  const stored = await subscriptions.get(subscriptionId, context);
  const { state } = stored;
  const { now: at } = context;
  checkNotCanceled(state);
  checkNothingDue(state, at);
  const customer = await peers.customers.find(state.customer.id, context);
  const current = { ...stored, state: withCustomer(state, customer) };
  const facts = {
    buyer: customer?.buyer,
    usageOf: (wanted: Settlement) => quoteUsage(current, wanted, context, dependencies),
  };
  const next = await readNextInvoice(current.state, facts, context, peers);
  return {
    at,
    validUntil: validUntilOf(at, state),
    effectiveAt: nextInvoiceAt(state) ?? currentPeriod(state).end,
    ...next,
    monthlyAmount: monthlyAmountOf(state, state.items),
  };
}

const noInvoice: NextInvoice = { nextInvoice: undefined, nextInvoiceEstimated: false };

/** Facts about a next invoice. */
interface NextInvoiceFacts extends Partial<Pick<CustomerFacts, 'buyer'>> {
  /** Categories of the products of items, the main one first; absent: none are known. */
  readonly taxes?: TaxCategories & { readonly productIds: readonly string[] };
  /** Quotes the usage that it would bill; undefined: no meter is priced. */
  readonly usageOf: (settlement: Settlement) => Promise<readonly SettledUsage[] | undefined>;
}

/**
 * Reads what the invoice of the next period would cost, with the usage so far. A bill over the
 * limit makes no invoice.
 */
export async function readNextInvoice(
  subscription: Subscription,
  { buyer, taxes, usageOf }: NextInvoiceFacts,
  context: CallContext,
  peers: Peers,
): Promise<NextInvoice> {
  const { status, cancelAtPeriodEnd } = subscription;
  const before = status === 'CANCELED' || cancelAtPeriodEnd ? null : beforeNextPeriod(subscription);
  if (before === null) return noInvoice;
  const productIds = before.items.map(({ productId }) => productId);
  const categories =
    productIds.join() === taxes?.productIds.join()
      ? taxes
      : await fetchTaxCategories(peers, before.items, context);
  const periodIndex = nextPeriodIndex(before);
  const quoted = beginsAfterPause(subscription)
    ? undefined
    : await usageOf(settlementBefore(periodIndex));
  const billed = withPutOffOn(before, periodIndex);
  const { recurring, putOff, lines, isBillable } = periodBill(billed, periodIndex, quoted ?? []);
  if (!isBillable) return noInvoice;
  const { isDiscounted, state } = takeDiscount(before, periodIndex);
  const withUsage = { items: before.items, lines };
  const taxCategories = await withLineCategories(peers, categories, withUsage, context);
  const wanted = toProtoNewInvoice(before, {
    invoiceId: newId(),
    reason: 'SUBSCRIPTION_CYCLE',
    authorizedTransactionId: null,
    isDiscounted: isBillDiscounted(state, { periodIndex, isDiscounted, lines }),
    period: periodOf(before, periodIndex),
    ...{ recurring, putOff, usage: lines },
    ...{ ...taxCategories, buyer },
  });
  const invoice = await readQuote(wanted, context, peers);
  return { nextInvoice: invoice, nextInvoiceEstimated: quoted !== undefined };
}

/** True if the next period follows a pause: the usage before that has an invoice of its own. */
function beginsAfterPause(subscription: Subscription): boolean {
  return subscription.phase === 'PAUSED' || nextChange(subscription)?.kind === 'PAUSE';
}
