import { examineEach, groupBy, type Invariant } from './picture/invariant';

export const writesAreDurable: Invariant = {
  id: 'I10',
  title: 'every acknowledged write can be read',
  examine: ({ acknowledged }) => {
    if (acknowledged === undefined) return undefined;
    return examineEach(acknowledged, ({ path, id, wasDeleted, readStatus, readId }) => [
      readStatus !== (wasDeleted ? 404 : 200) && `${path} answers ${String(readStatus)}`,
      readStatus === 200 && readId !== id && `${path} shows ${String(readId)}`,
    ]);
  },
};

export const nothingIsPending: Invariant = {
  id: 'I11',
  title: 'no outbox entry or step in progress older than its limit',
  examine: ({ pending }) => {
    if (pending === undefined) return undefined;
    return examineEach(Object.entries(pending), ([service, count]) => [
      count > 0 && `${service}: ${String(count)} documents are pending`,
    ]);
  },
};

export const numbersHaveNoGaps: Invariant = {
  id: 'I12',
  title: 'invoice numbers without gaps',
  examine: ({ invoices, restoreCodes }) => {
    return {
      examined: invoices.length,
      findings: [
        ...invoices
          .filter(({ number, status }) => number === null && status !== 'DRAFT')
          .map(({ id, status }) => `invoice ${id} (${status}) has no number`),
        ...gapsIn(invoices, restoreCodes),
      ],
    };
  },
};

/** The first number of each series that does not follow the one before it. */
export function gapsIn(
  documents: readonly { readonly number: string | null }[],
  restoreCodes: readonly string[] = [],
): string[] {
  const numbers = documents.flatMap(({ number }) => number ?? []);
  const bySeries = groupBy(numbers, (number) => seriesOf(number, restoreCodes));
  return [...bySeries.values()].flatMap((series) =>
    series
      .toSorted((left, right) => countOf(left) - countOf(right))
      .map((number, index) => ({ number, expected: index + 1 }))
      .filter(({ number, expected }) => countOf(number) !== expected)
      .slice(0, 1)
      .map(({ number, expected }) => `${number} in place of ${String(expected)}`),
  );
}

/** Code of the restore whose series has a number; empty: the series before any restore. */
function seriesOf(number: string, restoreCodes: readonly string[]): string {
  return restoreCodes.find((code) => /-([^-]+)-\d+$/.exec(number)?.[1] === code) ?? '';
}

/** The counter in a number; a seller may change the prefix, and the counter goes on. */
function countOf(number: string): number {
  return Number(/\d+$/.exec(number)?.[0]);
}
