import { first } from './payment-violations';
import type { Picture, TaxRowPicture } from '../picture/picture';
import { line } from '../testing';

/** Three lines of 3.33 with 19 %: example T2 of the tax rules. */
export function taxed(row: Partial<TaxRowPicture>, taxes = [64, 63, 63]): Partial<Picture> {
  const terms = { reason: 'STANDARD', percent: '19' };
  const lineItems = taxes.map((taxAmount, index) => ({
    ...{ ...line, id: `line-${String(index)}`, details: null, meterId: null },
    ...{ amount: 333, discountAmount: 0, pricedAmount: 333, taxAmount, total: 333 + taxAmount },
    ...{ taxReason: terms.reason, taxPercent: terms.percent },
  }));
  return first({ lineItems, taxes: [{ ...terms, base: 999, amount: 190, ...row }] });
}

/** Taxes that a system must not show. */
export const taxViolations: [id: string, what: string, changes: Partial<Picture>][] = [
  ['I17', 'a tax row of another base than its lines', taxed({ base: 1000 })],
  ['I17', 'a tax row that is not its rate', taxed({ amount: 189 })],
  ['I17', 'a tax row rounded line by line', taxed({ amount: 191 })],
  ['I17', 'a line with a tax of another rate', taxed({}, [65, 62, 63])],
];
