import { aClaim, anOpened, asInvoice, savedMethod } from '../testing/invoice';
import { collectWhenDue, recordResult } from './collection';
import type { FinalOutcome } from '../provider/port/payment-provider';
import { outstandingOf } from './invoice';

const now = new Date('2026-01-05T12:00:00.000Z');
const claimedAt = new Date('2031-07-01T00:00:00.000Z');
const succeeded = { status: 'SUCCEEDED', providerPaymentId: 'charge' } as const;

function finished(outcome: FinalOutcome) {
  const facts = { methods: { methodId: undefined }, provider: 'sandbox', retryDays: [3, 7, 14] };
  return { attemptNumber: 1, paymentId: 'payment', outcome, now, claimedAt, ...facts };
}

describe('a payment has the amount that the provider took', () => {
  test('a charge of less than is outstanding is a part payment, and the rest is due at once', () => {
    const { state, commands } = recordResult(
      anOpened({}, savedMethod),
      finished({ ...succeeded, amount: 1000n }),
    );
    const invoice = asInvoice(state);
    expect(invoice).toMatchObject({ status: 'OPEN', attempt: undefined, collectAt: now });
    expect(invoice.payments).toMatchObject([{ status: 'SUCCEEDED', amount: 1000n }]);
    expect(outstandingOf(invoice)).toBe(1900n);
    expect(commands).toEqual([]);
    const next = collectWhenDue(invoice, { ...aClaim({ source: savedMethod, now, claimedAt }) });
    expect(asInvoice(next.state).attempt).toMatchObject({ number: 2, status: 'PENDING' });
  });

  test('what a charge takes beyond the outstanding amount goes to the balance of the customer', () => {
    const { state, commands } = recordResult(
      anOpened({}, savedMethod),
      finished({ ...succeeded, amount: 3000n }),
    );
    expect(asInvoice(state)).toMatchObject({
      status: 'PAID',
      payments: [{ status: 'SUCCEEDED', amount: 3000n, overpayment: 100n }],
    });
    expect(commands).toMatchObject([
      { type: 'creditOverpayment', payload: { paymentId: 'payment' } },
      { type: 'applyCollectionResult', payload: { outcome: 'SUCCEEDED', attempt: 1 } },
    ]);
  });
});
