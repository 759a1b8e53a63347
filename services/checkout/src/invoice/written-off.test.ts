import { aClaim, anOpened, asInvoice, savedMethod } from '../testing/invoice';
import { declined } from '../provider/port/decline';
import type { FinalOutcome } from '../provider/port/payment-provider';
import { markUncollectible, payNow, recordResult } from './collection';
import type { InvoiceRecord } from './invoice';

const now = new Date('2026-01-05T12:00:00.000Z');
const claimedAt = new Date('2031-07-01T00:00:00.000Z');
const methods = { methodId: undefined };
const facts = { claimedAt, methods, provider: 'sandbox', retryDays: [3, 7, 14] };
const refused = declined('card_declined', 'charge');
const lost = markUncollectible(anOpened(), { methods, now });

function paid(record: InvoiceRecord, outcome: FinalOutcome) {
  const claim = aClaim({ source: savedMethod, now, claimedAt });
  const asked = { ...claim, callId: undefined, returnUrl: undefined, methods };
  const paying = asInvoice(payNow(record, asked).state);
  const attemptNumber = paying.attempt?.number ?? 0;
  return recordResult(paying, {
    ...{ attemptNumber, paymentId: `payment ${String(attemptNumber)}`, outcome, now },
    ...facts,
  });
}

const reportsOf = ({ commands }: ReturnType<typeof paid>) =>
  commands
    .filter(({ type }) => type === 'applyCollectionResult')
    .map(({ payload: { resultNumber, outcome, attempt } }) => [resultNumber, outcome, attempt]);

describe('an invoice that a caller has written off', () => {
  test('reports failed payments and the success after them, in order', () => {
    const first = paid(lost.state, refused);
    const second = paid(first.state, refused);
    const last = paid(second.state, { status: 'SUCCEEDED', providerPaymentId: 'charge' });
    expect([lost, first, second, last].flatMap(reportsOf)).toEqual([
      [1, 'WRITTEN_OFF', 0],
      [2, 'FAILED', 1],
      [3, 'FAILED', 2],
      [4, 'SUCCEEDED', 3],
    ]);
    expect(second.state).toMatchObject({
      ...{ status: 'UNCOLLECTIBLE', attempt: undefined, collectAt: undefined },
    });
    expect(last.state.status).toBe('PAID');
  });

  test('reports no amount that the provider does not take', () => {
    const tried = paid(lost.state, declined('amount_not_supported', undefined));
    expect(reportsOf(tried)).toEqual([]);
    expect(tried.state.status).toBe('UNCOLLECTIBLE');
  });
});

test('an invoice whose dunning has ended reports no failed payment', () => {
  const sent = {
    resultNumber: 4,
    outcome: 'UNCOLLECTIBLE' as const,
    attempt: 4,
    nextAttemptAt: null,
  };
  const results = [sent] as const;
  const givenUp = {
    ...anOpened(),
    status: 'UNCOLLECTIBLE',
    collectAt: undefined,
    results,
  } as const;
  expect(reportsOf(paid({ ...givenUp, resultsSent: 4 }, refused))).toEqual([]);
});
