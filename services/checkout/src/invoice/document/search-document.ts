import type { SearchDefinition } from '@billing/chassis/aggregate';
import type { FoundBy } from '@billing/chassis/search-rpc';
import { ResultType } from '@billing/proto/billing/search/v1/search';
import { type InvoiceRecord, totalOf } from '../invoice';

/** An invoice is found by its number, with or without the letters and zeros before it. */
export const invoiceSearch: SearchDefinition<InvoiceRecord> = {
  revision: 2,
  findableOf: (record) => {
    if (record.isTombstone) return undefined;
    const { id, number = '' } = record;
    return { id, texts: [countOf(number.toLowerCase())], wholeWords: [number] };
  },
  otherFormOf: (word) => (isCreditNote(word) ? undefined : countOf(word)),
};

/** Invoices as results of a search. */
export const foundInvoices: FoundBy<InvoiceRecord> = {
  type: ResultType.RESULT_TYPE_INVOICE,
  describe: (record) => {
    // Tombstones are never found.
    if (record.isTombstone) return { title: record.id };
    const { id, number, status, currency } = record;
    return { title: number ?? id, status, amount: totalOf(record), currency };
  },
};

// The number of a credit note has the digits of some invoice, which it does not mean.
function isCreditNote(word: string): boolean {
  return /^cn-?\d/.test(word);
}

/**
 * The digits of an invoice number: `42` of `inv-000042` or of any other prefix; undefined for any
 * other word.
 */
function countOf(word: string): string | undefined {
  return /^(?:inv|[a-z0-9-]{0,11}-)?0*([1-9]\d{0,14})$/.exec(word)?.[1];
}
