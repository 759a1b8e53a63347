import { invalidInput } from '@billing/kernel/domain-error';
import { AMOUNT_MAX, isAmount } from '@billing/kernel/money';
import type { NewSessionInvoice } from './session-invoice';
import { totalOfNew } from '../draft/draft';
import { totalOf } from '../invoice/invoice';
import { type InvoiceTerms, withTerms } from '../tax/invoice-terms';

type Priced = Pick<NewSessionInvoice, 'lineItems' | 'currency'>;

/** True if tax, at most as much as the price, may raise the total above the maximum amount. */
export function mayExceedMaximum({ lineItems, currency }: Priced): boolean {
  return 2n * totalOfNew({ lineItems, currency, discount: undefined }) > AMOUNT_MAX;
}

/**
 * Refuses a purchase whose total with tax exceeds the maximum amount. A discount does not count:
 * the purchase must not depend on it.
 */
export function checkTaxedTotal(
  { lineItems, currency }: Priced,
  terms: InvoiceTerms,
  field: 'quantity' | 'items' = 'quantity',
): void {
  const lines = lineItems.map((line, index) => ({
    ...line,
    ...{ id: String(index), discountAmount: 0n },
  }));
  const taxed = withTerms({ lineItems: lines, discounts: [], currency }, terms);
  if (isAmount(totalOf(taxed))) return;
  throw invalidInput({ [field]: ['The total with tax exceeds the maximum amount'] });
}
