import type { CreateInvoiceRequest } from '@billing/proto/billing/checkout/v1/checkout';
import { toProtoNewInvoice } from '../peer/checkout';
import { periodOf } from '../subscription/billing-cycle';
import type { BillPeriod, TaxCategories } from '../subscription/command';
import { type CustomerFacts, withCustomer } from '../subscription/customer';
import { runningDiscount } from '../subscription/discount';
import type { Subscription } from '../subscription/subscription';
import { isBillDiscounted, type periodBill } from './bill';

/** Round in which a creation reserves the balance: each creation has another id. */
export const creationRound = 1;

/** Facts of a period's invoice that its order does not have. */
interface PeriodInvoiceFacts {
  readonly bill: Pick<ReturnType<typeof periodBill>, 'recurring' | 'putOff' | 'lines'>;
  /** Present state of the payer; undefined: the order or the subscription has it. */
  readonly customer: CustomerFacts | undefined;
  readonly taxCategories: TaxCategories;
}

/** Builds the request for the invoice of a period. */
export function toProtoPeriodInvoice(
  subscription: Subscription,
  payload: BillPeriod['payload'],
  { bill: { recurring, putOff, lines: usage }, customer, taxCategories }: PeriodInvoiceFacts,
): { readonly request: CreateInvoiceRequest; readonly isDiscounted: boolean } {
  const { periodIndex, invoiceId, facts } = payload;
  const discount = runningDiscount({ ...subscription, periodIndex });
  const isDiscounted = isBillDiscounted(subscription, { ...payload, lines: usage });
  const wanted = {
    ...{ ...payload, isDiscounted, period: periodOf(subscription, periodIndex), recurring, putOff },
    ...{ usage, buyer: facts?.buyer ?? customer?.buyer, ...taxCategories },
    balanceRound: subscription.reservedInvoiceId === invoiceId ? creationRound : undefined,
  };
  const discounted = { ...subscription, discount };
  return { request: toProtoNewInvoice(withCustomer(discounted, customer), wanted), isDiscounted };
}
