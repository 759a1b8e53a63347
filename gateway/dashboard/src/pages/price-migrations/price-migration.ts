import type {
  toJsonMigratedSubscription,
  toJsonPriceMigration,
} from '@billing/proto/json/change/price-migration';
import { countText, moneyText } from '../../parts/text/text';

export type PriceMigration = ReturnType<typeof toJsonPriceMigration>;
export type MigratedSubscription = ReturnType<typeof toJsonMigratedSubscription>;

/** Progress of a price migration: “20 of 200”. */
export function progressText({
  processed,
  total,
}: Pick<PriceMigration, 'processed' | 'total'>): string {
  return `${countText(processed)} of ${countText(total)}`;
}

/** Monthly amounts before and after: “$20.00 → $30.00”. */
export function amountsText(
  {
    monthlyAmountBefore,
    monthlyAmountAfter,
  }: Pick<PriceMigration, 'monthlyAmountBefore' | 'monthlyAmountAfter'>,
  currency: string,
): string {
  return `${moneyText(monthlyAmountBefore, currency)} → ${moneyText(monthlyAmountAfter, currency)}`;
}

const reasonTexts: Readonly<Record<NonNullable<MigratedSubscription['reason']>, string>> = {
  CHANGE_PENDING: 'Another change is pending',
  SET_TO_CANCEL: 'Cancels at period end',
  INTERVALS_DIFFER: 'Other items have another interval',
  PRODUCT_TWICE: 'Already has the product',
  ENDED: 'Ended',
  AMOUNT_TOO_LARGE: 'Amount is too large',
};

/** Reason why a subscription keeps its price; empty for one that moves. */
export function reasonText({
  result,
  reason,
}: Pick<MigratedSubscription, 'result' | 'reason'>): string {
  if (reason === null) return result === 'SKIPPED' ? 'The change failed' : '';
  return reasonTexts[reason];
}
