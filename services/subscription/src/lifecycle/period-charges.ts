import type {
  CreditableInvoice,
  CreditNoteAmount,
  UnusedLine,
} from '@billing/kernel/proration/change-bill';
import { type CreditableLine, creditLines, roomOf } from '@billing/kernel/proration/credit-lines';
import { sumOf } from '@billing/kernel/money';
import type { ItemCharge } from '@billing/kernel/proration/prorated-change';
import { periodOf } from '../subscription/billing-cycle';
import { newestPutOff } from '../subscription/put-off';
import { mainItem, type Subscription, type SubscriptionItem } from '../subscription/subscription';
import type { ChangeCreditNote, ChangeLine, TaxTerms } from '../subscription/subscription-change';

/** An invoice of the running period, as a change finds it. */
export interface PeriodInvoice {
  readonly invoiceId: string;
  readonly status: 'OPEN' | 'PAID' | 'VOID' | 'UNCOLLECTIBLE';
  /** In the order of the invoice. */
  readonly lines: readonly CreditableLine[];
  /** False: an end does not void it, because a part of it is paid or credited; absent: true. */
  readonly isVoidable?: boolean;
  /** Line that charges the main item; null: none. */
  readonly recurring: RecurringLine | null;
  /** Lines that charge other items; absent: none. */
  readonly others?: readonly (RecurringLine & { readonly itemId: string })[];
}

/** A line that charges an item. */
interface RecurringLine {
  readonly lineItemId: string;
  readonly amount: bigint;
  readonly discountAmount: bigint;
}

/** Invoices of a running period, newest first. */
export interface PeriodFacts {
  readonly periodIndex: number;
  readonly invoices: readonly PeriodInvoice[];
}

/** The charges of the running period: those of its invoice, or of the last change in it. */
export function chargesOf(
  subscription: Subscription,
  { periodIndex, invoices }: PeriodFacts,
): readonly ItemCharge[] {
  const { period } = subscription.changes;
  if (period?.periodIndex === periodIndex) return period.charges;
  const [invoice] = invoices.slice(-1);
  const from = periodOf(subscription, periodIndex).start.getTime();
  return subscription.items.flatMap(({ id: itemId, productId }) => {
    const line = invoice === undefined ? null : lineOf(invoice, { subscription, itemId });
    if (line === null) return [];
    const { amount, discountAmount } = line;
    return [{ itemId, productId, from, gross: amount, net: amount - discountAmount }];
  });
}

function lineOf(
  { recurring, others = [] }: PeriodInvoice,
  {
    subscription,
    itemId,
  }: { readonly subscription: Pick<Subscription, 'items'>; readonly itemId: string },
): RecurringLine | null {
  if (itemId === mainItem(subscription).id) return recurring;
  return others.find((line) => line.itemId === itemId) ?? null;
}

/** The invoices that unused time may be taken from, newest first. */
export function creditableInvoices({
  invoices,
}: Pick<PeriodFacts, 'invoices'>): CreditableInvoice[] {
  return invoices.flatMap(({ invoiceId, status, lines }) => {
    const isOwed = status === 'PAID' || status === 'OPEN';
    return isOwed ? [{ invoiceId, status, room: roomOf(lines) }] : [];
  });
}

/** An item as a charge has charged it. */
export type ChargedItem = Pick<ChangeLine, 'itemId' | 'productId' | 'priceId' | 'quantity'> &
  Pick<SubscriptionItem, 'productName'>;

/**
 * The item of a charge as it was charged. Charges of earlier releases do not say it of an item that
 * was removed or changed without proration: the item as it is, or the main item.
 */
export function chargedItem(
  { items }: Pick<Subscription, 'items'>,
  { charges, itemId }: { readonly charges: readonly ItemCharge[]; readonly itemId: string },
): ChargedItem {
  const charge = charges.find((one) => one.itemId === itemId);
  if (charge?.charged !== undefined) {
    return { itemId, productId: charge.productId, ...charge.charged };
  }
  const { id, productId, productName, price, quantity } =
    items.find((item) => item.id === itemId) ?? mainItem({ items });
  const named = { productName, priceId: price.id, quantity: quantity.toString() };
  return { itemId: id, productId, ...named };
}

/** A charge that keeps its item as it is now, unless it has kept an earlier one. */
export function withChargedItem(
  { items }: Pick<Subscription, 'items'>,
  charge: ItemCharge,
): ItemCharge {
  const isOfCharge = ({ id, productId }: SubscriptionItem) =>
    id === charge.itemId && productId === charge.productId;
  const item = items.find(isOfCharge);
  if (charge.charged !== undefined || item === undefined) return charge;
  const { productName, price, quantity } = item;
  return {
    ...charge,
    charged: { productName, priceId: price.id, quantity: quantity.toString() },
  };
}

/** The newest line that has charged an item, also one that the subscription does not have now. */
export function sourceOf(
  { invoices }: Pick<PeriodFacts, 'invoices'>,
  item: { readonly subscription: Pick<Subscription, 'items'>; readonly itemId: string },
): ChangeLine['taxedAs'] {
  const isRemoved = item.subscription.items.every(({ id }) => id !== item.itemId);
  const [source] = invoices.flatMap((invoice) => {
    const { invoiceId, lines } = invoice;
    const line = isRemoved
      ? lines.find(({ itemId }) => itemId === item.itemId)
      : lineOf(invoice, item);
    return line === null || line === undefined ? [] : [{ invoiceId, lineItemId: line.lineItemId }];
  });
  return source ?? null;
}

/** What taxes a line of unused time: the line that it takes back, put off or invoiced. */
export function taxTermsOf(
  { isPutOff = false }: Pick<UnusedLine, 'isPutOff'>,
  {
    facts,
    subscription,
    item,
  }: {
    readonly facts: Pick<PeriodFacts, 'invoices'>;
    readonly subscription: Subscription;
    readonly item: ChargedItem;
  },
): TaxTerms {
  if (!isPutOff) return { taxedAs: sourceOf(facts, { subscription, itemId: item.itemId }) };
  const taxCategory = newestPutOff(subscription, item)?.taxCategory;
  return { taxedAs: null, ...(taxCategory !== undefined && { taxCategory }) };
}

/** The credit notes that give amounts of invoices back; the lines of the items come first. */
export function creditNotesOf(
  notes: readonly CreditNoteAmount[],
  {
    facts,
    itemIds,
    creditNoteIdOf,
  }: {
    readonly facts: Pick<PeriodFacts, 'invoices'>;
    readonly itemIds: readonly string[];
    readonly creditNoteIdOf: (invoiceId: string) => string;
  },
): ChangeCreditNote[] {
  return notes
    .map(({ invoiceId, amount: priced, settledBy }) => {
      const { lines = [] } = facts.invoices.find((one) => one.invoiceId === invoiceId) ?? {};
      const credits = creditLines(lines, { priced, itemIds });
      return {
        ...{ id: creditNoteIdOf(invoiceId), invoiceId, settledBy },
        amount: sumOf(credits.map(({ total }) => total)),
        lines: credits.map((credit) => ({ lineItemId: credit.lineItemId, priced: credit.priced })),
      };
    })
    .filter(({ amount }) => amount > 0n);
}
