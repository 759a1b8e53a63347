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

/** A subscription as requested. */
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

/** The payer as described by the customer service. */
export interface CustomerFacts extends CustomerSnapshot {
  /** ISO 4217, upper case. */
  readonly currency: string;
  /** True once the first invoice has set the currency. */
  readonly isCurrencyFixed: boolean;
  readonly collectionMethod: CollectionMethod;
}

/** The product as described by the catalog service. */
export interface ProductFacts {
  readonly id: string;
  readonly name: string;
  readonly active: boolean;
  /** Number of the meter price set in force. */
  readonly meterPriceSet: number;
  readonly price: Omit<PriceSnapshot, 'billingInterval'> & {
    readonly billingInterval: BillingInterval;
  };
}

/**
 * Refuses invalid input with all its violations at once. Metadata is validated the same way by all
 * services. Ids are not validated: a malformed id is reported as unknown by the service that owns
 * the resource.
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

/** Returns the price of a product that can be subscribed to. */
export function subscribablePrice({ active, price }: ProductFacts): PriceSnapshot {
  if (!active) throw notFound('Product');
  return recurringPrice(price);
}

/** Returns a price only if it is recurring. */
export function recurringPrice(price: ProductFacts['price']): PriceSnapshot {
  const { billingInterval } = price;
  if (billingInterval === 'ONE_TIME') {
    throw invalidInput({ productId: ['A one-time product cannot be subscribed to'] });
  }
  return { ...price, billingInterval };
}

/** Checks that the charge of a period stays within the largest amount. */
export function checkQuantity(price: PriceSnapshot, quantity: number): void {
  if (isAmount(recurringCharge({ ...price, quantity }).amount)) return;
  throw invalidInput({ quantity: ['The total exceeds the maximum amount'] });
}

/**
 * Checks that a customer keeps the currency of their first invoice; undefined: no invoice has set
 * one.
 */
export function checkCurrency(
  price: Pick<PriceSnapshot, 'currency'>,
  billed: string | undefined,
): void {
  if (billed === undefined || price.currency === billed) return;
  throw invalidInput({
    productId: [`Currency ${price.currency} differs from the customer's, ${billed}`],
  });
}

/** Canonical text of an input: equal texts mean equal inputs. */
export function inputText(input: SubscriptionInput): string {
  const { customerId, productId, startAt, quantity, discountId } = input;
  const metadata = Object.entries(input.metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([customerId, productId, startAt, quantity, metadata, discountId]);
}

/**
 * Refuses a second, different subscription for an authorization. An authorized payment starts one
 * subscription.
 */
export function checkRepeat(
  existing: Pick<Subscription, 'fingerprint'>,
  { fingerprint }: Pick<Subscription, 'fingerprint'>,
): void {
  if (existing.fingerprint === fingerprint) return;
  throw invalidInput({
    authorizedTransactionId: ['Was already used for a subscription with different parameters'],
  });
}
