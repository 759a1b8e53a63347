import { invalidInput } from '@billing/kernel/domain-error';
import { isAmount, sumOf } from '@billing/kernel/money';
import { recurringCharge } from '@billing/kernel/pricing';
import type { SubscriptionItem } from '../subscription/subscription';

/** Charges of items for a whole period. */
export function chargesOfItems(
  items: readonly Pick<SubscriptionItem, 'price' | 'quantity'>[],
): bigint[] {
  return items.map(({ price, quantity }) => recurringCharge({ ...price, quantity }).amount);
}

/** Refuses a change with a bill over the limit. A bill below 0 is another problem. */
export function checkTotal(
  charges: readonly bigint[],
  {
    isList,
  }: {
    /** True if the caller lists all items. */
    readonly isList: boolean;
  },
): void {
  const total = sumOf(charges);
  if (total < 0n || isAmount(total)) return;
  throw invalidInput({
    [isList ? 'items' : 'quantity']: ['The total exceeds the maximum amount'],
  });
}
