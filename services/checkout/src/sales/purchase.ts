import { recurringCharge } from '@billing/kernel/pricing';
import { totalOfNew } from '../draft/draft';
import type { NewSession, OfferedItem } from './session';
import type { PaidPeriod } from '../invoice/paid-period';
import type { NewSessionInvoice } from '../collection/session-invoice';
import { discountSnapshot, fromProtoDiscount } from '../peer/discount';
import { fromProtoPrice, priceSnapshot } from '../peer/product';

/** The fields of a session, new or stored, that determine its invoice. */
type Purchase = Omit<NewSession, 'total' | 'isForVisitor'>;

/** Price of a session's purchase, after its discount. */
export function totalOfPurchase(purchase: Purchase): bigint {
  return totalOfNew(toNewSessionInvoice(purchase));
}

/**
 * Describes the invoice of a session: it bills the first period, a one-time purchase, or a trial at
 * no charge.
 */
export function toNewSessionInvoice(session: Purchase): NewSessionInvoice {
  const { snapshots } = session;
  const isTrial = session.trialDays > 0;
  // A discount starts with the first invoice that has an amount, so not with a trial's.
  const discount = isTrial ? undefined : snapshots.discount;
  return {
    invoiceId: session.invoiceId,
    sessionId: session.id,
    customerId: session.customerId,
    currency: session.currency,
    collectionMethod: session.collectionMethod,
    lineItems: isTrial ? [trialLine(session)] : itemsOf(session).map(chargeLine),
    discount:
      discount === undefined ? undefined : fromProtoDiscount(discountSnapshot.read(discount)),
    subscriptionId: session.subscriptionId,
    paidPeriod: paidPeriod(session),
  };
}

type Line = NewSessionInvoice['lineItems'][number];

/** All items of a purchase, the main one first. */
export function itemsOf({
  otherItems = [],
  snapshots,
  ...session
}: Pick<
  Purchase,
  Exclude<keyof OfferedItem, 'price'> | 'otherItems' | 'snapshots'
>): readonly OfferedItem[] {
  const { productId, productName, productDescription, priceId, quantity, taxCategory } = session;
  const main = { productId, productName, productDescription, priceId, quantity, taxCategory };
  return [{ ...main, price: snapshots.price }, ...otherItems];
}

function chargeLine(item: OfferedItem): Line {
  const { productId, productName, priceId, quantity, taxCategory } = item;
  const price = fromProtoPrice(priceSnapshot.read(item.price));
  const { details, ...charge } = recurringCharge({ ...price, quantity });
  const tiers = details.tiers.map((tier) => ({ ...tier, upTo: tier.upTo ?? undefined }));
  return {
    ...charge,
    kind: price.billingInterval === 'ONE_TIME' ? undefined : 'RECURRING',
    description: productName,
    priceId,
    meterId: undefined,
    details: { ...details, tiers, creditsUsed: [] },
    metadata: {},
    itemProductId: productId,
    taxCategory,
  };
}

// Describes the trial of the main item, in which all items are free.
function trialLine({ productName, priceId, trialDays, taxCategory }: Purchase): Line {
  const days = trialDays === 1 ? '1 day' : `${String(trialDays)} days`;
  return {
    kind: 'RECURRING',
    description: `${productName} (trial, ${days})`,
    quantity: '1',
    unitAmount: '0',
    amount: 0n,
    priceId,
    meterId: undefined,
    details: {
      exactAmount: '0',
      billedQuantity: '1',
      includedUnits: '0',
      tiers: [],
      creditsUsed: [],
    },
    metadata: {},
    taxCategory,
  };
}

function paidPeriod({ recurrence, trialDays }: Purchase): PaidPeriod {
  if (trialDays > 0) return { kind: 'TRIAL', days: trialDays };
  if (recurrence.billingInterval === 'ONE_TIME') return { kind: 'NONE' };
  return { kind: 'INTERVAL', recurrence };
}
