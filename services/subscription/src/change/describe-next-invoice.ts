import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import type {
  PreviewInvoice,
  PreviewNextInvoiceResponse,
} from '@billing/proto/billing/subscription/v1/change_service';
import { checkNotCanceled } from '../lifecycle/check-change';
import { fetchTaxCategories } from '../peer/catalog';
import { toProtoNewInvoice } from '../peer/checkout';
import type { Peers } from '../peer/peers';
import { nextPeriodIndex, periodOf } from '../subscription/billing-cycle';
import { beforeNextPeriod } from '../subscription/change-at-renewal';
import { monthlyAmountOf } from '../subscription/change-side';
import type { TaxCategories } from '../subscription/command';
import { type CustomerFacts, withCustomer } from '../subscription/customer';
import { takeDiscount } from '../subscription/discount';
import { putOffOn, withPutOffOn } from '../subscription/put-off';
import { periodLines } from '../subscription/recurring-charge';
import {
  currentPeriod,
  mainItem,
  nextInvoiceAt,
  type Subscription,
} from '../subscription/subscription';
import { isPeriodMetered } from '../usage/usage-period';
import type { FactDependencies } from './find-period-facts';
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
  { subscriptions, peers }: Pick<FactDependencies, 'subscriptions'> & { readonly peers: Peers },
): Promise<PreviewNextInvoiceResponse> {
  const { state } = await subscriptions.get(subscriptionId, context);
  const { now: at } = context;
  checkNotCanceled(state);
  checkNothingDue(state, at);
  const customer = await peers.customers.find(state.customer.id, context);
  const known = { buyer: customer?.buyer };
  const next = await readNextInvoice(withCustomer(state, customer), known, context, peers);
  return {
    at,
    validUntil: validUntilOf(at, state),
    effectiveAt: nextInvoiceAt(state) ?? currentPeriod(state).end,
    ...next,
    monthlyAmount: monthlyAmountOf(state, state.items),
  };
}

/** Facts about the taxes of a next invoice that were read before. */
interface KnownTaxes extends Partial<Pick<CustomerFacts, 'buyer'>> {
  /** Categories of a main item's product and the others; absent: none are known. */
  readonly taxes?: TaxCategories & { readonly productId: string };
}

/** Reads what the invoice of the next period would cost, without usage. */
export async function readNextInvoice(
  subscription: Subscription,
  known: KnownTaxes,
  context: CallContext,
  peers: Peers,
): Promise<NextInvoice> {
  const { status, cancelAtPeriodEnd } = subscription;
  const before = status === 'CANCELED' || cancelAtPeriodEnd ? null : beforeNextPeriod(subscription);
  if (before === null) return { nextInvoice: undefined, nextInvoiceEstimated: false };
  const { productId } = mainItem(before);
  const categories =
    productId === known.taxes?.productId
      ? known.taxes
      : await fetchTaxCategories(peers, before.items, context);
  const periodIndex = nextPeriodIndex(before);
  const { isDiscounted } = takeDiscount(before, periodIndex);
  const putOff = putOffOn(withPutOffOn(before, periodIndex), [periodIndex]);
  const wanted = toProtoNewInvoice(before, {
    invoiceId: newId(),
    reason: 'SUBSCRIPTION_CYCLE',
    authorizedTransactionId: null,
    isDiscounted,
    period: periodOf(before, periodIndex),
    recurring: periodLines(before, periodIndex),
    putOff,
    usage: [],
    ...categories,
    buyer: known.buyer,
  });
  const invoice = await readQuote(wanted, context, peers);
  const { periodIndex: running } = before;
  const isEstimated = running !== null && isPeriodMetered(before, running);
  return { nextInvoice: invoice, nextInvoiceEstimated: isEstimated };
}
