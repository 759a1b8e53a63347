import { BatchClient } from '@billing/chassis/batch-client';
import type { CallContext } from '@billing/chassis/call-context';
import type { BillingPeriod } from '@billing/kernel/billing-period';
import type {
  CreateInvoiceRequest,
  CreateInvoiceResponse,
  Invoice,
  LineItem as ProtoLineItem,
  QuoteInvoiceResponse,
} from '@billing/proto/billing/checkout/v1/checkout';
import { TaxReason } from '@billing/proto/billing/checkout/v1/invoice_tax';
import { billingReasons, lineKinds } from '@billing/proto/values/checkout';
import { collectionMethods } from '@billing/proto/values/customer';
import { type BillPeriod, type TaxCategories, taxCategoryOf } from '../subscription/command';
import type { CustomerFacts } from '../subscription/customer';
import { readBuyer } from './buyer';
import { toProtoDiscountTerms } from './discount';
import type { Peers } from './peers';
import type { PeriodLine } from '../subscription/recurring-charge';
import { currencyOf, mainItem, type Subscription } from '../subscription/subscription';
import type { ChangeInvoice, ChangeLine, PutOff } from '../subscription/subscription-change';
import type { UsageLine } from '../usage/usage-line';

/** The content of a new invoice. */
export interface NewInvoice
  extends
    TaxCategories,
    Pick<
      BillPeriod['payload'],
      'invoiceId' | 'reason' | 'authorizedTransactionId' | 'isDiscounted'
    > {
  readonly period: BillingPeriod;
  /** One for each item; empty: the invoice bills usage alone. */
  readonly recurring: readonly PeriodLine[];
  /** Lines of changes with their own shares of a discount. */
  readonly putOff: PutOff;
  readonly usage: readonly UsageLine[];
  /** Facts of the customer for invoices, encoded; undefined: the customer is unknown. */
  readonly buyer: string | undefined;
  /** Round in which the balance was reserved; absent: it was not. */
  readonly balanceRound?: number | undefined;
}

/** Builds the request for an invoice. */
export function toProtoNewInvoice(
  subscription: Subscription,
  { invoiceId, reason, authorizedTransactionId, isDiscounted, period, ...lines }: NewInvoice,
): CreateInvoiceRequest {
  const { discount } = subscription;
  const { recurring, usage, buyer, putOff, balanceRound } = lines;
  const main = mainItem(subscription);
  const ofItems = (some: readonly (PeriodLine | UsageLine)[]) =>
    some.map((line) => {
      // A usage line of an earlier release is of the only item.
      const ofItem = { itemId: main.id, productId: main.productId, ...line };
      return toProtoLineItem(ofItem, taxCategoryOf(ofItem, lines) ?? undefined);
    });
  const { taxCategory, otherTaxCategories } = lines;
  const bounds = { periodStart: period.start, periodEnd: period.end };
  const invoiced = {
    ...{ ...bounds, taxCategory },
    ...(otherTaxCategories !== undefined && { otherTaxCategories }),
  };
  return {
    invoiceId,
    subscriptionId: subscription.id,
    customerId: subscription.customer.id,
    billingReason: billingReasons.valueOf(reason),
    collectionMethod: collectionMethods.valueOf(subscription.collectionMethod),
    currency: currencyOf(subscription),
    periodStart: period.start,
    periodEnd: period.end,
    lineItems: [
      ...ofItems(recurring),
      ...putOff.lines.map((line) => toProtoChangeLine(line, invoiced)),
      ...ofItems(usage),
    ],
    authorizedTransactionId: authorizedTransactionId ?? undefined,
    discount: isDiscounted && discount !== null ? toProtoDiscountTerms(discount) : undefined,
    sharesDiscount: putOff.discount === null ? undefined : toProtoDiscountTerms(putOff.discount),
    buyer: readBuyer(buyer ?? subscription.formerBuyer),
    balanceRound,
  };
}

/** Builds the request for a change's invoice, whose lines have their shares of the discount. */
export function toProtoChangeInvoice(
  subscription: Subscription,
  invoice: ChangeInvoice,
): CreateInvoiceRequest {
  const { discount, sharesDiscount, balanceRound } = invoice;
  return {
    invoiceId: invoice.invoiceId,
    subscriptionId: subscription.id,
    customerId: subscription.customer.id,
    billingReason: billingReasons.valueOf('SUBSCRIPTION_CHANGE'),
    collectionMethod: collectionMethods.valueOf(subscription.collectionMethod),
    currency: currencyOf(subscription),
    periodStart: invoice.periodStart,
    periodEnd: invoice.periodEnd,
    lineItems: invoice.lines.map((line) => toProtoChangeLine(line, invoice)),
    authorizedTransactionId: undefined,
    discount: discount === null ? undefined : toProtoDiscountTerms(discount),
    sharesDiscount: sharesDiscount === undefined ? undefined : toProtoDiscountTerms(sharesDiscount),
    balanceRound: balanceRound ?? undefined,
    buyer: readBuyer(invoice.buyer ?? undefined),
    chargedOnce: invoice.isPaidFirst,
  };
}

function toProtoChangeLine(
  line: ChangeLine,
  invoice: Pick<ProtoLineItem, 'periodStart' | 'periodEnd'> & TaxCategories,
): ProtoLineItem {
  const { periodStart, periodEnd } = invoice;
  const { start = periodStart, end = periodEnd } = line.period ?? {};
  const { description, quantity, amount, discountAmount, priceId, itemId, charge } = line;
  const { taxCategory = taxCategoryOf(line, invoice) } = line;
  return {
    ...{ id: '', invoiceId: '', description, quantity, amount, discountAmount, priceId, itemId },
    ...{ periodStart: start, periodEnd: end },
    unitAmount: charge?.unitAmount ?? undefined,
    meterId: undefined,
    kind: lineKinds.valueOf(line.kind),
    itemProductId: line.productId,
    details: {
      exactAmount: line.exactAmount,
      billedQuantity: charge?.billedQuantity ?? quantity,
      includedUnits: charge?.includedUnits ?? '0',
      tiers: (charge?.tiers ?? []).map((tier) => ({ ...tier, upTo: tier.upTo ?? undefined })),
      creditsUsed: [],
      proration: line.proration ?? undefined,
    },
    metadata: {},
    taxCategory: taxCategory ?? undefined,
    ...untaxed,
    taxedAs: line.taxedAs ?? undefined,
  };
}

/** The empty ids, and the discount and taxes of 0, are placeholders, which checkout replaces. */
function toProtoLineItem(
  line: (PeriodLine | UsageLine) & { readonly itemId: string; readonly productId: string },
  taxCategory: string | undefined,
): ProtoLineItem {
  const { description, priceId, quantity, unitAmount, amount, details, period } = line;
  return {
    id: '',
    invoiceId: '',
    description,
    quantity,
    unitAmount,
    amount,
    discountAmount: 0n,
    priceId,
    meterId: 'meterId' in line ? line.meterId : undefined,
    kind: lineKinds.valueOf('kind' in line ? line.kind : 'USAGE'),
    itemId: line.itemId,
    itemProductId: line.productId,
    periodStart: period.start,
    periodEnd: period.end,
    details: {
      ...details,
      tiers: details.tiers.map((tier) => ({ ...tier, upTo: tier.upTo ?? undefined })),
      creditsUsed: 'creditsUsed' in details ? [...details.creditsUsed] : [],
      proration: undefined,
    },
    metadata: {},
    taxCategory,
    ...untaxed,
  };
}

const untaxed = {
  pricedAmount: 0n,
  taxReason: TaxReason.TAX_REASON_UNSPECIFIED,
  taxPercent: undefined,
  taxAmount: 0n,
  total: 0n,
  taxedAs: undefined,
};

/**
 * Maps a usage line of a voided invoice, so that another invoice can bill it; undefined for any
 * other line.
 */
export function fromProtoUsageLine(line: ProtoLineItem): UsageLine | undefined {
  const { meterId, priceId, details, periodStart, periodEnd } = line;
  if (meterId === undefined) return undefined;
  if (priceId === undefined || details === undefined) throw new Error('A usage line has a price');
  if (periodStart === undefined || periodEnd === undefined) {
    throw new Error('A usage line has a period');
  }
  const { itemId, itemProductId: productId } = line;
  return {
    ...(productId !== undefined && { itemId, productId }),
    description: line.description,
    meterId,
    priceId,
    quantity: line.quantity,
    unitAmount: line.unitAmount,
    amount: pricedAmountOf(line),
    details: {
      ...details,
      tiers: details.tiers.map((tier) => ({ ...tier, upTo: tier.upTo ?? null })),
    },
    period: { start: periodStart, end: periodEnd },
  };
}

// Lines without tax are priced at their amount; those of earlier releases have no priced amount.
function pricedAmountOf({ taxReason, pricedAmount, amount }: ProtoLineItem): bigint {
  return taxReason === TaxReason.TAX_REASON_UNSPECIFIED ? amount : pricedAmount;
}

/** Creates invoices in checkout; concurrent requests are sent in one call. */
export class InvoiceClient {
  private readonly batches: BatchClient<CreateInvoiceRequest, CreateInvoiceResponse>;

  constructor(checkout: Pick<Peers['checkout'], 'createInvoice' | 'createInvoices'>) {
    this.batches = new BatchClient({
      one: (request, context) => checkout.createInvoice(request, context),
      many: async (requests, context) => {
        const { responses } = await checkout.createInvoices({ requests }, context);
        // The response of a failed request is empty; sent alone, the request gets its error.
        return responses.map((response) => (response.invoice === undefined ? undefined : response));
      },
    });
  }

  create(request: CreateInvoiceRequest, context: CallContext): Promise<CreateInvoiceResponse> {
    return this.batches.ask(request, context);
  }
}

/** Quotes invoices in checkout; concurrent requests are sent in one call. */
export class QuoteClient {
  private readonly batches: BatchClient<CreateInvoiceRequest, QuoteInvoiceResponse>;

  constructor(checkout: Pick<Peers['checkout'], 'quoteInvoice' | 'quoteInvoices'>) {
    this.batches = new BatchClient({
      one: (invoice, context) => checkout.quoteInvoice({ invoice }, context),
      many: async (invoices, context) => {
        const requests = invoices.map((invoice) => ({ invoice }));
        const { responses } = await checkout.quoteInvoices({ requests }, context);
        // The response of a failed request is empty; sent alone, the request gets its error.
        return responses.map((response) =>
          response.lineItems.length === 0 ? undefined : response,
        );
      },
    });
  }

  quote(invoice: CreateInvoiceRequest, context: CallContext): Promise<QuoteInvoiceResponse> {
    return this.batches.ask(invoice, context);
  }
}

/** The currency in which a customer is billed; undefined before the first invoice has set it. */
export async function billedCurrency(
  { checkout }: Peers,
  customer: Pick<CustomerFacts, 'id' | 'currency' | 'isCurrencyFixed'>,
  context: CallContext,
): Promise<string | undefined> {
  if (customer.isCurrencyFixed) return customer.currency;
  // A customer document older than `isCurrencyFixed` lacks it, so the invoices decide.
  const { currency } = await checkout.getBilledCurrency({ customerId: customer.id }, context);
  return currency;
}

/**
 * Voids an invoice whose creation may still be in flight: if it arrives later, the invoice is void
 * from the start. Checkout refuses while a payment runs; the command is retried until that payment
 * has an outcome.
 */
export async function voidInvoice(
  invoiceId: string,
  subscription: Subscription,
  context: CallContext,
  { checkout }: Peers,
): Promise<Invoice | undefined> {
  const { id: subscriptionId, customer } = subscription;
  const { invoice } = await checkout.voidDerivedInvoice(
    { invoiceId, subscriptionId, customerId: customer.id, currency: currencyOf(subscription) },
    context,
  );
  return invoice;
}
