import { anOpened } from '../testing/invoice';
import { invoiceCollection } from './invoice-collection';

const at = new Date('2026-03-04T00:00:00Z');
const later = [new Date('2026-03-08T00:00:00Z'), new Date('2026-03-15T00:00:00Z')];
const failed = { ...anOpened(), collectAt: at, retriesLeft: later, firstFailedAt: at };

test('an invoice in dunning has a next attempt and later ones', () => {
  expect(invoiceCollection(failed)).toEqual({
    nextAttemptAt: at,
    laterAttempts: 2,
    firstFailedAt: at,
    awaitsProvider: false,
  });
  expect(invoiceCollection({ ...failed, retriesLeft: [] }).laterAttempts).toBe(0);
});

test.each([
  ['a sent invoice, whose date is its due date', { collectionMethod: 'SEND_INVOICE' }],
  ['an uncollectible invoice', { status: 'UNCOLLECTIBLE' }],
  ['an invoice without a schedule', { collectAt: undefined }],
] as const)('%s has no next attempt', (_name, fields) => {
  const { nextAttemptAt, laterAttempts } = invoiceCollection({ ...failed, ...fields });
  expect([nextAttemptAt, laterAttempts]).toEqual([undefined, 0]);
});

test('an open invoice without a payment provider waits for one', () => {
  const waiting = { ...failed, collectAt: undefined, awaitsProviderSince: at };
  expect(invoiceCollection(waiting).awaitsProvider).toBe(true);
  expect(invoiceCollection({ ...waiting, status: 'PAID' }).awaitsProvider).toBe(false);
});
