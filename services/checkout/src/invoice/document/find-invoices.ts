import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { FoundBy, SearchSource } from '@billing/chassis/search-rpc';
import { eachOnce, findByIdBeginning, findMatching } from '@billing/chassis/search-index';
import { queryWordsOf } from '@billing/kernel/search-words';
import { ResultType } from '@billing/proto/billing/search/v1/search';
import { type InvoiceRecord, totalOf } from '../invoice';
import type { InvoiceNumberStore } from '../number/invoice-number-store';

/**
 * Finds invoices by the beginnings of their numbers, with or without the letters and zeros in
 * front, and of their ids. Invoices are written often, so they have no index of their own for it.
 */
export function invoiceSearch(
  invoices: AggregateCollection<InvoiceRecord>,
  numbers: Pick<InvoiceNumberStore, 'findHolders'>,
): SearchSource<InvoiceRecord> {
  return {
    find: async (text, { tenant: { environmentId } }, { limit, filter }) => {
      const words = queryWordsOf(text);
      const [word] = words;
      if (word === undefined || words.length > 1) return [];
      const at = { environmentId, limit, filter: { ...filter, isTombstone: false } };
      const [ofId, holders] = await Promise.all([
        findByIdBeginning(invoices, word, at),
        holdersOf(word, { environmentId, limit }, numbers),
      ]);
      const byHolder = { ...at, filter: { ...at.filter, _id: { $in: holders } } };
      const numbered = holders.length === 0 ? [] : await findMatching(invoices, byHolder);
      const place = new Map(holders.map((id, index) => [id, index]));
      const placeOf = (id: string) => place.get(id) ?? -1;
      const inOrder = [...ofId, ...numbered].toSorted(
        (a, b) => placeOf(a.state.id) - placeOf(b.state.id),
      );
      return eachOnce(inOrder, limit);
    },
  };
}

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

async function holdersOf(
  word: string,
  { environmentId, limit }: { environmentId: string; limit: number },
  numbers: Pick<InvoiceNumberStore, 'findHolders'>,
): Promise<string[]> {
  const digits = countOf(word);
  return digits === undefined ? [] : numbers.findHolders(environmentId, digits, limit);
}

/**
 * The number that the digits of a typed invoice number say: 42 for `inv-000042`, or with any other
 * prefix; undefined for any other word, and for the number of a credit note.
 */
export function countOf(word: string): number | undefined {
  if (/^cn-?\d/.test(word)) return undefined;
  const digits = /^(?:inv|[a-z0-9-]{0,11}-)?0*([1-9]\d{0,8})$/.exec(word)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
