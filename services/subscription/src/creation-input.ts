import type { BillingInterval } from '@billing/kernel/billing-period';
import { invalidInput, notFound } from '@billing/kernel/domain-error';
import { subscriptionProblems } from '@billing/kernel/input/subscription';
import { isAmount } from '@billing/kernel/money';
import { recurringCharge } from '@billing/kernel/pricing';
import { refuseProblems } from '@billing/kernel/input-problems';
import type {
  CollectionMethod,
  CustomerSnapshot,
  PriceSnapshot,
  Subscription,
} from './subscription';

/** A subscription as it was asked for. */
export interface SubscriptionInput {
  readonly customerId: string;
  readonly productId: string;
  /** Null: the customer's saved method pays. */
  readonly authorizedTransactionId: string | null;
  /** Null: now. */
  readonly startAt: Date | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly quantity: number;
  /** Null: none. */
  readonly discountId: string | null;
}

/** What the customer's owner says of the payer. */
export interface CustomerFacts extends CustomerSnapshot {
  /** ISO 4217, upper case. */
  readonly currency: string;
  /** The first invoice has set the currency. */
  readonly isCurrencyFixed: boolean;
  readonly collectionMethod: CollectionMethod;
}

/** What the product's owner says of the product. */
export interface ProductFacts {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  /** The number of its set of meter prices in force. */
  readonly meterPriceSet: number;
  readonly price: Omit<PriceSnapshot, 'billingInterval'> & {
    readonly billingInterval: BillingInterval;
  };
}

/**
 * Refuses the input once, for everything that is wrong with it by itself; metadata is checked alike by all services. The ids are not
 * looked at: a malformed one is answered like an unknown one, by whoever owns the resource.
 */
export function checkInput(
  input: SubscriptionInput,
  { now, metadataProblems }: { now: Date; metadataProblems: readonly string[] },
): void {
  const fields = {
    authorizedTransactionId: input.authorizedTransactionId ?? undefined,
    startAt: input.startAt ?? undefined,
    quantity: input.quantity,
  };
  refuseProblems({ ...subscriptionProblems(fields, { now }), metadata: metadataProblems });
}

/** The price of a product that can be subscribed to. */
export function subscribablePrice({ active, price }: ProductFacts): PriceSnapshot {
  if (!active) throw notFound('Product');
  return recurringPrice(price);
}

/** A price that is charged again and again. */
export function recurringPrice(price: ProductFacts['price']): PriceSnapshot {
  const { billingInterval } = price;
  if (billingInterval === 'ONE_TIME') {
    throw invalidInput({ productId: ['A one-time product cannot be subscribed to'] });
  }
  return { ...price, billingInterval };
}

/** What a period costs must be an amount that can be charged. */
export function checkQuantity(price: PriceSnapshot, quantity: number): void {
  if (isAmount(recurringCharge({ ...price, quantity }).amount)) return;
  throw invalidInput({ quantity: ['The total exceeds the maximum amount'] });
}

/** A customer whose first invoice has set the currency keeps it; undefined: none has. */
export function checkCurrency(
  price: Pick<PriceSnapshot, 'currency'>,
  billed: string | undefined,
): void {
  if (billed === undefined || price.currency === billed) return;
  throw invalidInput({
    productId: [`Currency ${price.currency} differs from the customer's, ${billed}`],
  });
}

/** The text that two inputs share exactly when they ask for the same. */
export function inputText(input: SubscriptionInput): string {
  const { customerId, productId, startAt, quantity, discountId } = input;
  const metadata = Object.entries(input.metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([customerId, productId, startAt, quantity, metadata, discountId]);
}

/** An authorised payment starts one subscription; asking for another one with it is refused. */
export function checkRepeat(
  existing: Pick<Subscription, 'fingerprint'>,
  { fingerprint }: Pick<Subscription, 'fingerprint'>,
): void {
  if (existing.fingerprint === fingerprint) return;
  throw invalidInput({
    authorizedTransactionId: ['Was already used for a subscription with different parameters'],
  });
}
