import { roundedQuotient } from '@billing/kernel/decimal';
import { sumOf } from '@billing/kernel/money';
import { creditWithTax } from '@billing/kernel/proration/credit-lines';
import type { Invoice, LineItem } from './invoice';
import type { Credits } from './credit/credit';
import { lineTotalOf, pricedOf } from '../tax/finalization';

/** The fields of an invoice that decide how much of a line can be credited. */
export type Creditable = Pick<Credits, 'creditNotes'> & Pick<Invoice, 'lineItems' | 'reservation'>;

/** Amount of a line that credit notes have credited, with tax. */
export function creditedOf(
  { id }: Pick<LineItem, 'id'>,
  { creditNotes }: Pick<Credits, 'creditNotes'>,
): bigint {
  const credited = creditNotes.flatMap(({ lines }) => lines);
  return sumOf(credited.filter(({ lineItemId }) => lineItemId === id).map(({ total }) => total));
}

/** Amount of a line that is neither credited nor reserved; below 0 for a line below 0. */
export function leftOfLine(line: LineItem, invoice: Creditable): bigint {
  const reserved = (invoice.reservation?.lines ?? [])
    .filter(({ lineItemId }) => lineItemId === line.id)
    .map(({ amount }) => amount);
  return lineTotalOf(line) - creditedOf(line, invoice) - sumOf(reserved);
}

/** Amount of an invoice that is neither credited nor reserved. */
export function leftOfInvoice(invoice: Creditable): bigint {
  return sumOf(invoice.lineItems.map((line) => leftOfLine(line, invoice)));
}

/** Largest credit that a plan change gets of a line, of a priced amount. */
export function creditOfChange(
  line: LineItem,
  priced: bigint,
  left: { readonly left: bigint; readonly leftOfAll: bigint },
): bigint {
  const { pricedAmount, pricedDiscount } = pricedOf(line);
  const whole = { priced: pricedAmount - pricedDiscount, total: lineTotalOf(line) };
  return creditWithTax(whole, priced, left);
}

/**
 * Tax of a credit on a line. Credits take the tax between two points of one line, so all credits of
 * a line together take its tax exactly, in any order and of any size.
 */
export function taxOfCredit(
  { total, taxAmount }: { readonly total: bigint; readonly taxAmount: bigint },
  { before, amount }: { readonly before: bigint; readonly amount: bigint },
): bigint {
  if (total === 0n) return 0n;
  const taxUpTo = (credited: bigint) => roundedQuotient(taxAmount * credited, total);
  return taxUpTo(before + amount) - taxUpTo(before);
}
