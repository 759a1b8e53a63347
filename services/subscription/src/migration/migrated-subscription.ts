import { isAmount, sumOf } from '@billing/kernel/money';
import { recurringCharge } from '@billing/kernel/pricing';
import {
  exchangedItems,
  exchangeProblem,
  type ExchangeProblem,
  type PriceExchange,
} from '../subscription/price-exchange';
import { waitingPutOff } from '../subscription/put-off';
import type { CustomerSnapshot, Subscription } from '../subscription/subscription';
import type { SubscriptionChange, WantedChange } from '../subscription/subscription-change';

type MigrationResult = 'SCHEDULED' | 'APPLIED' | 'CANCELED' | 'SKIPPED';

/** Why a job leaves a subscription as it is. */
export type SkipReason =
  'CHANGE_PENDING' | 'SET_TO_CANCEL' | ExchangeProblem | 'ENDED' | 'AMOUNT_TOO_LARGE';

/** Result of a job for one subscription. */
export interface MigratedSubscription {
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly result: MigrationResult;
  /** Null: it was not skipped, or its change failed with every try. */
  readonly reason: SkipReason | null;
  readonly effectiveAt: Date | null;
  readonly changeId: string | null;
  /** In the currency's smallest unit. */
  readonly monthlyAmountBefore: bigint;
  readonly monthlyAmountAfter: bigint;
}

/** Finds out why a job leaves a subscription as it is; null: it changes it. */
export function skipReason(
  { status, cancelAtPeriodEnd, changes, items }: Subscription,
  exchange: PriceExchange,
): SkipReason | null {
  if (status === 'CANCELED') return 'ENDED';
  if (changes.waiting !== null || changes.paying !== null) return 'CHANGE_PENDING';
  if (cancelAtPeriodEnd) return 'SET_TO_CANCEL';
  const problem = exchangeProblem(items, exchange);
  if (problem !== null) return problem;
  const amounts = exchangedItems(items, exchange).map(
    ({ price, quantity }) => recurringCharge({ ...price, quantity }).amount,
  );
  // The invoice of the next period bills the lines put off too.
  const putOff = waitingPutOff({ changes }).lines.map(({ amount }) => amount);
  return !isAmount(sumOf([...amounts, ...putOff])) ? 'AMOUNT_TOO_LARGE' : null;
}

/** True if one of the items has the price version that a job replaces. */
export function hasPrice({ items }: Pick<Subscription, 'items'>, priceId: string): boolean {
  return items.some(({ price }) => price.id === priceId);
}

/** The change of a job: it replaces one price version, and leaves all else to other changes. */
export function wantedExchange(exchange: PriceExchange): WantedChange {
  return { product: null, quantity: null, discount: null, exchange };
}

/** The row of a subscription that keeps its price; without a reason its change has failed. */
export function skippedRow(
  { id, customer }: { readonly id: string; readonly customer: Pick<CustomerSnapshot, 'id'> },
  reason: SkipReason | null,
): MigratedSubscription {
  return {
    ...{ subscriptionId: id, customerId: customer.id, result: 'SKIPPED', reason },
    ...{ effectiveAt: null, changeId: null, monthlyAmountBefore: 0n, monthlyAmountAfter: 0n },
  };
}

/** The row of a subscription with the job's change as it is now. */
export function changedRow(
  { id, customer }: Pick<Subscription, 'id' | 'customer'>,
  change: Pick<
    SubscriptionChange,
    'id' | 'status' | 'effectiveAt' | 'monthlyAmountBefore' | 'monthlyAmountAfter'
  >,
): MigratedSubscription {
  return {
    subscriptionId: id,
    customerId: customer.id,
    result: resultOf(change.status),
    reason: null,
    effectiveAt: change.effectiveAt,
    changeId: change.id,
    monthlyAmountBefore: change.monthlyAmountBefore,
    monthlyAmountAfter: change.monthlyAmountAfter,
  };
}

function resultOf(status: SubscriptionChange['status']): MigrationResult {
  switch (status) {
    case 'PENDING':
      return 'SCHEDULED';
    case 'APPLIED':
      return 'APPLIED';
    case 'CANCELED':
      return 'CANCELED';
    case 'PAYING':
    case 'FAILED':
      // A job charges nothing.
      throw new Error(`The change of a price migration is ${status}`);
  }
}
