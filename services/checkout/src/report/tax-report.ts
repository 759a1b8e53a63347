import { sumOf } from '@billing/kernel/money';
import type { TaxReason, TaxTerms } from '@billing/kernel/tax/tax';
import type { CreditNote } from '../invoice/credit/credit';
import type { Invoice } from '../invoice/invoice';
import type { TaxOfLine } from '../tax/finalization';

/** Instants of a report, [from, to). */
export interface ReportSpan {
  readonly from: Date;
  readonly to: Date;
}

/** Parts of an invoice that the tax report reads. */
export interface TaxedDocument extends Pick<Invoice, 'currency' | 'status' | 'voidedAt'> {
  /** Environment time from which its taxes are final; undefined: they are not, or it has none. */
  readonly finalAt: Date | undefined;
  readonly lines: readonly { readonly id: string; readonly net: bigint; readonly tax: TaxOfLine }[];
  readonly creditNotes: readonly Pick<CreditNote, 'issuedAt' | 'lines'>[];
}

/** Sums of documents with equal tax terms, in minor units of the currency. */
export interface TaxReportRow extends TaxTerms {
  readonly currency: string;
  readonly base: bigint;
  readonly tax: bigint;
  /** Number of invoices less those that were voided. */
  readonly invoices: bigint;
  readonly creditNotes: bigint;
}

type Sums = Pick<TaxReportRow, 'base' | 'tax' | 'invoices' | 'creditNotes'>;

/** Sums that a document adds to the row of its currency and terms. */
export interface TaxAddend {
  readonly row: string;
  readonly counts: { readonly [Name in keyof Sums]: bigint };
}

/**
 * Returns what an invoice and its credit notes add to the report of a span: the invoice on the day
 * on which it became final, the same below 0 on the day of its void, a credit note below 0 on its
 * day.
 */
export function taxAddends(document: TaxedDocument, span: ReportSpan): TaxAddend[] {
  const { finalAt, voidedAt, status, lines, creditNotes } = document;
  // The day on which an earlier release voided an invoice is unknown, so it counts neither way.
  if (finalAt === undefined || (status === 'VOID' && voidedAt === undefined)) return [];
  const whole = lines.map(({ net, tax }) => ({ base: net, amount: tax.amount, terms: tax }));
  return [
    ...(isWithin(finalAt, span) ? addends(document, whole, { sign: 1n, invoices: 1n }) : []),
    ...(voidedAt !== undefined && isWithin(voidedAt, span)
      ? addends(document, whole, { sign: -1n, invoices: -1n })
      : []),
    ...creditNotes
      .filter(({ issuedAt }) => isWithin(issuedAt, span))
      .flatMap((note) =>
        addends(document, creditedParts(note, document), { sign: -1n, creditNotes: 1n }),
      ),
  ];
}

/** Rows of the report, sorted by currency, country, state, reason, name and percent. */
export function taxReportRows(totals: Iterable<readonly [string, Partial<Sums>]>): TaxReportRow[] {
  const found = [...totals].map(([row, sums]) => ({ keys: JSON.parse(row) as Keys, sums }));
  return found
    .toSorted((one, other) => compareKeys(one.keys, other.keys))
    .map(({ keys: [currency, country, state, reason, name, percent], sums }) => ({
      ...{ currency, country, state, reason, name, percent },
      ...{ base: sums.base ?? 0n, tax: sums.tax ?? 0n },
      ...{ invoices: sums.invoices ?? 0n, creditNotes: sums.creditNotes ?? 0n },
    }));
}

type Keys = readonly [string, string, string | null, TaxReason, string | null, string];

/** Part of a document with its tax and terms. */
interface TaxedPart {
  readonly base: bigint;
  readonly amount: bigint;
  readonly terms: TaxTerms;
}

function creditedParts(
  note: Pick<CreditNote, 'lines'>,
  { lines }: Pick<TaxedDocument, 'lines'>,
): TaxedPart[] {
  const byId = new Map(lines.map((line) => [line.id, line.tax]));
  return note.lines.flatMap(({ lineItemId, total, taxAmount: amount }) => {
    const terms = byId.get(lineItemId);
    return terms === undefined ? [] : [{ base: total - amount, amount, terms }];
  });
}

/** One addend for each group of equal terms, so that a document counts once in each row. */
function addends(
  { currency }: Pick<TaxedDocument, 'currency'>,
  parts: readonly TaxedPart[],
  count: { readonly sign: bigint; readonly invoices?: bigint; readonly creditNotes?: bigint },
): TaxAddend[] {
  const { sign, invoices = 0n, creditNotes = 0n } = count;
  const groups = Map.groupBy(parts, ({ terms }) => rowOf(currency, terms));
  return [...groups].map(([row, group]) => ({
    row,
    counts: {
      base: sign * sumOf(group.map(({ base }) => base)),
      tax: sign * sumOf(group.map(({ amount }) => amount)),
      ...{ invoices, creditNotes },
    },
  }));
}

function rowOf(currency: string, { country, state, reason, name, percent }: TaxTerms): string {
  return JSON.stringify([currency, country, state, reason, name, percent] satisfies Keys);
}

function compareKeys(one: Keys, other: Keys): number {
  for (const [index, value] of one.entries()) {
    const [left, right] = [value ?? '', other[index] ?? ''];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

function isWithin(at: Date, { from, to }: ReportSpan): boolean {
  return at >= from && at < to;
}
