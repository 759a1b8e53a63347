import { examineEach, type Invariant } from './invariant';

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
  examine: ({ invoices }) => {
    const numbers = invoices.flatMap(({ number }) => number ?? []).sort();
    return {
      examined: invoices.length,
      findings: [
        ...invoices
          .filter(({ number, status }) => number === null && status !== 'DRAFT')
          .map(({ id, status }) => `invoice ${id} (${status}) has no number`),
        ...numbers
          .map((number, index) => ({ number, expected: numberAt(index) }))
          .filter(({ number, expected }) => number !== expected)
          .slice(0, 1)
          .map(({ number, expected }) => `${number} in place of ${expected}`),
      ],
    };
  },
};

function numberAt(index: number): string {
  return `INV-${String(index + 1).padStart(6, '0')}`;
}
