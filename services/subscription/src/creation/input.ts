import { invalidInput } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import { subscriptionProblems } from '@billing/kernel/input/subscription';
import { isAmount } from '@billing/kernel/money';
import { recurringCharge } from '@billing/kernel/pricing';
import type { PriceSnapshot, Subscription } from '../subscription/subscription';

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
