import { anOpened, asInvoice, savedMethod } from '../testing/invoice';
import { declined } from '../provider/port/decline';
import { recordResult, voidForCaller } from '../invoice/collection';
import type { Invoice } from '../invoice/invoice';
import { knownResults } from './known-results';
import { passSentDate } from '../invoice/retry-schedule';

const now = new Date('2026-01-05T12:00:00.000Z');
const facts = {
  paymentId: 'payment',
  now,
  claimedAt: now,
  methods: { methodId: undefined },
  provider: 'sandbox',
  retryDays: [3, 7, 14],
};
const paid = { status: 'SUCCEEDED', providerPaymentId: 'charge' } as const;
const refused = declined('card_declined', 'charge');

/** The invoice after the outcomes of its attempts, each the next one in the slot. */
function after(...outcomes: readonly (typeof paid | typeof refused)[]): Invoice {
  let invoice = anOpened({}, savedMethod);
  const first = invoice.attempt;
  for (const [index, outcome] of outcomes.entries()) {
    const attemptNumber = index + 1;
    const attempt = first && { ...first, number: attemptNumber, retry: index };
    const { state } = recordResult({ ...invoice, attempt }, { ...facts, attemptNumber, outcome });
    invoice = asInvoice(state);
  }
  return invoice;
}

const sent = anOpened({ collectionMethod: 'SEND_INVOICE' });

describe('results of an invoice that release 0.1.0 has written', () => {
  test.each<[string, Invoice]>([
    ['paid', after(paid)],
    ['declined', after(refused)],
    ['declined and paid', after(refused, paid)],
    ['declined twice', after(refused, refused)],
    ['the provider cannot charge', after(declined('amount_not_supported', undefined))],
    ['void', asInvoice(voidForCaller(anOpened(), now).state)],
    ['sent and overdue', passSentDate(sent, sent.dueDate!).state],
  ])('are derived from its state: %s', (_name, invoice) => {
    const known = (invoice.results ?? []).map((result, index, { length }) =>
      // Only the last one has a date that still counts.
      index === length - 1 ? result : { ...result, nextAttemptAt: null },
    );
    expect(known.length).toBeGreaterThan(0);
    const { results: _results, ...ofRelease } = invoice;
    expect(knownResults(ofRelease)).toEqual({ results: known, isIncomplete: false });
  });

  test('follow the recorded ones', () => {
    const invoice = after(refused, paid);
    const [first, second] = invoice.results!;
    const stale = { ...invoice, results: [first!] };
    expect(knownResults(stale).results).toEqual([first, second]);
    const later = { ...invoice, results: [second!] };
    expect(knownResults(later).results.map(({ resultNumber }) => resultNumber)).toEqual([1, 2]);
  });

  test('end where the state does not tell whether the subscription goes on', () => {
    const invoice: Invoice = { ...after(refused), status: 'UNCOLLECTIBLE', resultsSent: 2 };
    const { results, isIncomplete } = knownResults(invoice);
    expect(results.map(({ resultNumber }) => resultNumber)).toEqual([1]);
    expect(isIncomplete).toBe(true);
    const { isIncomplete: isUnknown } = knownResults({ ...invoice, writtenOffBy: 'call' });
    expect(isUnknown).toBe(false);
  });
});

test('recorded results of an invoice are as they were sent', () => {
  const invoice = after(refused, refused);
  expect(knownResults(invoice)).toEqual({ results: invoice.results, isIncomplete: false });
  expect(knownResults(anOpened())).toEqual({ results: [], isIncomplete: false });
});

test('results before the oldest recorded one are left out once the record is full', () => {
  const result = { outcome: 'FAILED', attempt: 1, nextAttemptAt: null } as const;
  const results = Array.from({ length: 20 }, (_, index) => ({
    ...result,
    resultNumber: index + 4,
  }));
  const known = knownResults({ ...after(refused), results, resultsSent: 23 });
  expect(known).toEqual({ results, isIncomplete: false });
});
