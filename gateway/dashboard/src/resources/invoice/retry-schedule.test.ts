import { laterText, notScheduledText } from './retry-schedule';

test.each([
  [2, 'then 2 more retries'],
  [1, 'then 1 more retry'],
  [0, 'the last retry'],
])('after a failure, %p later retries are told', (laterAttempts, text) => {
  expect(laterText({ firstFailedAt: '2026-03-01T00:00:00.000Z', laterAttempts })).toBe(text);
});

test('the first charge of an invoice is no retry', () => {
  expect(laterText({ firstFailedAt: null, laterAttempts: 0 })).toBeUndefined();
});

test.each([
  [{ awaitsProvider: true }, 'When a payment provider is configured'],
  [{ billingReason: 'CHECKOUT' }, 'Paid on its checkout page'],
  [{ collectionMethod: 'SEND_INVOICE' }, 'Not charged automatically'],
  [{}, 'None scheduled'],
] as const)('an open invoice without a schedule with %p says: %s', (facts, text) => {
  const { awaitsProvider, ...invoice } = {
    awaitsProvider: false,
    collectionMethod: 'CHARGE_AUTOMATICALLY',
    billingReason: 'SUBSCRIPTION_CYCLE',
    ...facts,
  } as const;
  expect(notScheduledText({ awaitsProvider, invoice })).toBe(text);
});
