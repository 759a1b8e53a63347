import type { CreateInvoiceRequest, Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import { fromProtoUsageLine, toProtoNewInvoice } from '../peer/checkout';
import { periodOf } from '../subscription/billing-cycle';
import type { TaxCategories } from '../subscription/command';
import { type CustomerFacts, withCustomer } from '../subscription/customer';
import { discountParts, runningDiscount } from '../subscription/discount';
import { nothingPutOff } from '../subscription/put-off';
import type { PutOff } from '../subscription/subscription-change';
import type { Subscription } from '../subscription/subscription';
import type { CycleEndBill } from '../subscription/usage-billing';
import { lastPeriod } from '../usage/settlement';
import type { UsageLine } from '../usage/usage-line';
import { asOfCycleEnd, isEndDiscounted } from './bill';

/** The content of an invoice that bills usage and lines put off after an end. */
interface EndInvoice {
  readonly invoiceId: string;
  readonly lines: readonly UsageLine[];
  readonly putOff: PutOff;
  /** True: the invoice of the last period was voided, or never created. */
  readonly isVoided: boolean;
  /** Undefined: unknown. */
  readonly customer: CustomerFacts | undefined;
  /** A deleted customer as it was. */
  readonly buyer?: string | undefined;
  readonly taxCategories: TaxCategories;
}

/** Builds the request for an invoice of the end, and says whether the discount applies. */
export function toProtoEndInvoice(
  subscription: Subscription,
  { invoiceId, lines, putOff, isVoided, customer, buyer, taxCategories }: EndInvoice,
): { readonly request: CreateInvoiceRequest; readonly isDiscounted: boolean } {
  const state = { ...subscription, discount: runningDiscount(subscription) };
  const periodIndex = state.periodIndex ?? 0;
  const isDiscounted = isEndDiscounted(state, { periodIndex, isVoided, lines });
  const request = toProtoNewInvoice(withCustomer(state, customer), {
    invoiceId,
    reason: 'SUBSCRIPTION_CANCEL',
    authorizedTransactionId: null,
    isDiscounted,
    period: lastPeriod(state),
    recurring: [],
    usage: lines,
    ...{ putOff, buyer: customer?.buyer ?? buyer, ...taxCategories },
  });
  return { request, isDiscounted };
}

/** The content of an invoice of usage at the end of a cycle. */
type CycleEndInvoice = Pick<EndInvoice, 'lines' | 'customer' | 'taxCategories'>;

/** Builds the request for the invoice of the end of a cycle; see `toProtoEndInvoice`. */
export function toProtoCycleEndInvoice(
  subscription: Subscription,
  bill: CycleEndBill,
  { lines, customer, taxCategories }: CycleEndInvoice,
): ReturnType<typeof toProtoEndInvoice> {
  const state = asOfCycleEnd(subscription, bill);
  const { periodIndex } = bill;
  const period = periodOf(state, periodIndex);
  const isDiscounted = isEndDiscounted(state, { periodIndex, isVoided: false, lines });
  const request = toProtoNewInvoice(withCustomer(state, customer), {
    invoiceId: bill.invoiceId,
    reason: 'SUBSCRIPTION_CHANGE',
    authorizedTransactionId: null,
    ...{ isDiscounted, period, recurring: [], usage: lines, putOff: nothingPutOff },
    ...{ buyer: customer?.buyer, ...taxCategories },
  });
  const parts = isDiscounted ? discountParts(state, lines) : [];
  // Checkout takes the lines of a change's invoice with the shares that they have.
  const lineItems = request.lineItems.map((line, index) => ({
    ...line,
    discountAmount: parts[index] ?? 0n,
  }));
  return { request: { ...request, lineItems }, isDiscounted };
}

/** The usage that an invoice bills. */
export function usageLinesOf({ lineItems }: Pick<Invoice, 'lineItems'>): UsageLine[] {
  return lineItems.map(fromProtoUsageLine).filter((line) => line !== undefined);
}
