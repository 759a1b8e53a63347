import { invalidInput } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import { type NamedItem, namedItemProblems } from '@billing/kernel/purchase-items';
import { subscriptionProblems } from '@billing/kernel/input/subscription';
import type { Subscription } from '../subscription/subscription';

/** A subscription as requested. */
export interface SubscriptionInput {
  readonly customerId: string;
  /** Empty: the price or the items name it. */
  readonly productId: string;
  /** Current price version of the only item; null: the product's, or `items` name them. */
  readonly priceId: string | null;
  /** Null: the customer's saved method pays. */
  readonly authorizedTransactionId: string | null;
  /** Null: now. */
  readonly startAt: Date | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly quantity: number;
  /** Null: none. */
  readonly discountId: string | null;
  /** The main item first; null: `productId` and `quantity` name the only one. */
  readonly items: readonly NamedItem[] | null;
}

/** Valid input: a start is set. */
export interface CheckedInput extends SubscriptionInput {
  readonly startAt: Date;
}

/**
 * Returns valid input; refuses invalid input with all its violations at once. Metadata is validated
 * the same way by all services. Ids are not validated: a malformed id is reported as unknown by the
 * service that owns the resource.
 */
export function checkInput(
  input: SubscriptionInput,
  { now, metadataProblems }: { now: Date; metadataProblems: readonly string[] },
): CheckedInput {
  const fields = {
    authorizedTransactionId: input.authorizedTransactionId ?? undefined,
    startAt: input.startAt ?? undefined,
    quantity: input.quantity,
  };
  refuseProblems({
    ...subscriptionProblems(fields, { now }),
    items: input.items === null ? [] : namedItemProblems(input.items),
    metadata: metadataProblems,
  });
  return { ...input, startAt: input.startAt ?? now };
}

/** Canonical text of an input: equal texts mean equal inputs. */
export function inputText(input: SubscriptionInput): string {
  const { customerId, productId, startAt, quantity, discountId } = input;
  const metadata = Object.entries(input.metadata).sort(([a], [b]) => (a < b ? -1 : 1));
  const fields = [customerId, productId, startAt, quantity, metadata, discountId];
  // The text of an input that names a product alone is that of earlier releases.
  const isPlain = input.items === null && input.priceId === null;
  return JSON.stringify(isPlain ? fields : [...fields, boughtText(input)]);
}

/** The items that a purchase names, with their defaults, as they are written into a text. */
export function boughtText(
  input: Pick<SubscriptionInput, 'productId' | 'priceId' | 'quantity' | 'items'>,
): readonly unknown[] {
  return namedItems(input).map((item) => [
    item.productId ?? null,
    item.priceId ?? null,
    item.quantity ?? 1,
  ]);
}

/** The items of a purchase as the caller names them. */
export function namedItems({
  productId,
  priceId,
  quantity,
  items,
}: Pick<SubscriptionInput, 'productId' | 'priceId' | 'quantity' | 'items'>): readonly NamedItem[] {
  if (items !== null) return items;
  return [
    {
      productId: productId === '' ? undefined : productId,
      priceId: priceId ?? undefined,
      quantity,
    },
  ];
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
