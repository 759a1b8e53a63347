import { examineEach, groupBy, type Invariant } from './picture/invariant';
import type { InvoicePicture, LinePicture, TaxRowPicture } from './picture/picture';

// A percent has at most 4 decimals.
const percentDecimals = 4;
const hundred = 100n * 10n ** BigInt(percentDecimals);

export const taxesFollowTheirRates: Invariant = {
  id: 'I17',
  title:
    'each tax row = the rounded sum of its lines’ shares, lines differ from theirs by rounding',
  examine: ({ invoices }) =>
    examineEach(invoices, (invoice) => {
      const rows = groupBy(invoice.taxes, termsOf);
      const lines = groupBy(invoice.lineItems, ({ taxReason, taxPercent }) =>
        termsOf({ reason: taxReason, percent: taxPercent }),
      );
      return [...rows].flatMap(([terms, found]) => {
        const [row, other] = found;
        // Lines do not show which of two countries or names theirs is.
        if (row === undefined || other !== undefined) return [];
        return rowProblems(row, lines.get(terms) ?? [], invoice);
      });
    }),
};

function rowProblems(
  row: TaxRowPicture,
  lines: readonly LinePicture[],
  { id, pricesIncludeTax = false }: InvoicePicture,
): (string | false)[] {
  const percent = scaled(row.percent ?? '0');
  const divisor = pricesIncludeTax ? hundred + percent : hundred;
  const shareOf = (line: LinePicture) =>
    percent * BigInt(pricesIncludeTax ? line.total : line.amount - line.discountAmount);
  const share = lines.reduce((sum, line) => sum + shareOf(line), 0n);
  const base = lines.reduce((sum, line) => sum + line.amount - line.discountAmount, 0);
  return [
    base !== row.base && `invoice ${id}: the base of a tax row ≠ Σ lines`,
    BigInt(row.amount) !== halfUp(share, divisor) && `invoice ${id}: a tax row ≠ its rate`,
    ...lines.map((line) => {
      const apart = BigInt(line.taxAmount) * divisor - shareOf(line);
      const isRounded = apart > -divisor && apart < divisor;
      return !isRounded && `invoice ${id}: the tax of a line ≠ its rate`;
    }),
  ];
}

function termsOf({
  reason,
  percent,
}: {
  readonly reason?: string | null | undefined;
  readonly percent?: string | null | undefined;
}): string {
  return `${reason ?? ''} ${percent ?? ''}`;
}

function scaled(percent: string): bigint {
  const [whole = '', fraction = ''] = percent.split('.');
  return BigInt(whole + fraction.padEnd(percentDecimals, '0'));
}

/** Rounds half away from zero. */
function halfUp(numerator: bigint, divisor: bigint): bigint {
  const magnitude = numerator < 0n ? -numerator : numerator;
  const rounded = (2n * magnitude + divisor) / (2n * divisor);
  return numerator < 0n ? -rounded : rounded;
}
