import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { invalidInput } from '@billing/kernel/domain-error';
import { AMOUNT_MAX, isAmount, sumOf } from '@billing/kernel/money';
import { recurringCharge } from '@billing/kernel/pricing';
import type { PreviewInvoice } from '@billing/proto/billing/subscription/v1/change_service';
import { periodBill } from '../billing/bill';
import { toProtoPeriodInvoice } from '../billing/describe-period-invoice';
import { readQuote } from '../change/read-quote';
import { quoteRedemption } from '../peer/discount';
import type { Peers } from '../peer/peers';
import { type BillPeriod, taxCategoriesOf } from '../subscription/command';
import type { DiscountSnapshot, Subscription } from '../subscription/subscription';
import { decisionOn } from '../storage/subscription-store';
import { createSubscription } from './creation';
import type { PurchaseFacts, WantedPurchase } from './find-offer';
import type { CheckedInput } from './input';

/** A creation that is not stored. */
export interface Purchase {
  readonly state: Subscription;
  readonly discount: DiscountSnapshot | null;
  /** Undefined: nothing is billed at once. */
  readonly invoice: PreviewInvoice | undefined;
}

/** What a purchase is computed from, in addition to its input. */
interface PurchaseOf {
  readonly id: string;
  readonly offer: PurchaseFacts;
  readonly at: Date;
  /** True: what a repeat finds reserved of the balance is its own. */
  readonly isBalanceReserved?: boolean;
}

/** Decides the creation by its own rule, and quotes the invoice that it would order. */
export async function quotePurchase(
  input: WantedPurchase,
  { id, offer, at, isBalanceReserved = false }: PurchaseOf,
  context: CallContext,
  peers: Peers,
): Promise<Purchase> {
  const { productId, quantity, ...facts } = offer;
  const discount = await quoteDiscount(id, { ...input, ...offer }, context, peers);
  const { state, commands } = createSubscription(
    { ...input, ...{ productId, quantity, customerId: offer.customer.id } },
    {
      ...decisionOn(id, context.tenant, at),
      ...facts,
      ...{ id, discount, isBalanceReserved, fingerprint: '' },
    },
  );
  const order = commands.find((command): command is BillPeriod => command.type === 'billPeriod');
  if (order === undefined) return { state, discount, invoice: undefined };
  const { payload } = order;
  const bill = periodBill(state, payload.periodIndex, []);
  const { request } = toProtoPeriodInvoice(state, payload, {
    ...{ bill, customer: offer.customer, taxCategories: categoriesOf(offer) },
  });
  return { state, discount, invoice: withoutItems(await readQuote(request, context, peers)) };
}

/** Reads the terms of a purchase's discount; null: it has none. */
export async function quoteDiscount(
  holderId: string,
  {
    discountId,
    productId,
    otherItems,
    price,
  }: Pick<PurchaseFacts, 'productId' | 'price'> &
    Pick<CheckedInput, 'discountId'> & {
      readonly otherItems: readonly Pick<PurchaseFacts, 'productId'>[];
    },
  context: CallContext,
  peers: Peers,
): Promise<DiscountSnapshot | null> {
  if (discountId === null) return null;
  const otherProductIds = otherItems.map((item) => item.productId);
  const { currency } = price;
  return quoteRedemption(
    peers,
    { discountId, holderId, productId, otherProductIds, currency },
    context,
  );
}

export function categoriesOf({
  taxCategory,
  otherItems,
}: Pick<PurchaseFacts, 'taxCategory'> & {
  readonly otherItems: readonly Pick<PurchaseFacts, 'productId' | 'taxCategory'>[];
}) {
  const others = otherItems.map((item) => [item.productId, item.taxCategory ?? null] as const);
  return taxCategoriesOf(taxCategory ?? null, others);
}

/**
 * Refuses a purchase whose period costs more than the maximum amount with its tax. A discount does
 * not count: it may end before the subscription. Nor does a trial or a later start.
 */
export async function checkTaxedTotal(
  input: WantedPurchase,
  { offer, at }: Pick<PurchaseOf, 'offer' | 'at'>,
  context: CallContext,
  peers: Peers,
): Promise<void> {
  const { price, quantity, otherItems } = offer;
  const charges = [{ price, quantity }, ...otherItems].map((item) =>
    recurringCharge({ ...item.price, quantity: item.quantity }),
  );
  // Tax is at most as much as the price.
  if (2n * sumOf(charges.map(({ amount }) => amount)) <= AMOUNT_MAX) return;
  const billed = { ...offer, price: { ...price, trialDays: null } };
  const { invoice } = await quotePurchase(
    { ...input, discountId: null, startAt: at },
    { id: newId(), offer: billed, at },
    context,
    peers,
  );
  if (isAmount(invoice?.total ?? 0n)) return;
  const field = input.items === null ? 'quantity' : 'items';
  throw invalidInput({ [field]: ['The total with tax exceeds the maximum amount'] });
}

// The items have no ids before they are stored.
export function withoutItems(invoice: PreviewInvoice): PreviewInvoice {
  const lineItems = invoice.lineItems.map((line) => ({ ...line, itemId: undefined }));
  return { ...invoice, lineItems };
}
