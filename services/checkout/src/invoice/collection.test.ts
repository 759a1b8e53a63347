import { unchanged } from '@billing/kernel/transition';
import { chargeKey, resumeAt } from './attempt';
import {
  collectWhenDue,
  collectWithNewDefault,
  isCollecting,
  payNow,
  openAndCollect,
  recordResult,
  sourceFor,
  voidForCaller,
} from './collection';
import { declined } from '../provider/port/decline';
import { aClaim, aDraft, aLineItem, anOpened, savedMethod, asInvoice } from '../testing/invoice';
import { tombstone } from './invoice';
import type { ChargeSource, FinalOutcome } from '../provider/port/payment-provider';

const now = new Date('2026-01-05T12:00:00.000Z');
const claimedAt = new Date('2031-07-01T00:00:00.000Z');
const number = 'INV-000001';
const nothing: ChargeSource = { kind: 'NONE' };

const succeeded: FinalOutcome = { status: 'SUCCEEDED', providerPaymentId: 'charge' };
const failed: FinalOutcome = declined('card_declined', 'charge');

const noDunning = {
  claimedAt,
  methods: { methodId: undefined },
  provider: 'sandbox',
  retryDays: [3, 7, 14],
};

const card = { brand: 'visa', last4: '4242' };

function finished(outcome: FinalOutcome, attemptNumber = 1) {
  return { attemptNumber, paymentId: 'payment', outcome, now, card, ...noDunning };
}

describe('opening an invoice', () => {
  test('claims the slot for a usable source in the same write', () => {
    const opening = { number, ...aClaim({ source: savedMethod, now, claimedAt }) };
    const { state, commands } = openAndCollect(aDraft(), opening);

    expect(asInvoice(state)).toMatchObject({
      status: 'OPEN',
      number,
      attempt: { number: 1, source: savedMethod, claimedAt },
      collectAt: undefined,
    });
    expect(commands).toEqual([]);
  });

  test('without a source schedules the first attempt an hour later', () => {
    const { state, commands } = openAndCollect(aDraft(), { number, ...aClaim({ now, claimedAt }) });

    expect(asInvoice(state)).toMatchObject({ status: 'OPEN', attempt: undefined });
    expect(asInvoice(state).collectAt).toEqual(new Date('2026-01-05T13:00:00.000Z'));
    expect(commands).toEqual([]);
  });

  test.each([['with', savedMethod] as const, ['without', nothing] as const])(
    'pays immediately if nothing is due, %s a source',
    (_case, source) => {
      const free = aDraft({ lineItems: [aLineItem({ amount: 0n })] });
      const { state, commands } = openAndCollect(free, {
        number,
        ...aClaim({ source, now, claimedAt }),
      });

      expect(asInvoice(state)).toMatchObject({ status: 'PAID', number, paidAt: now, payments: [] });
      expect(asInvoice(state).attempt).toBeUndefined();
      expect(commands).toEqual([
        {
          type: 'applyCollectionResult',
          payload: { resultNumber: 1, outcome: 'NOTHING_DUE', attempt: 0, nextAttemptAt: null },
        },
      ]);
    },
  );

  test('charges nothing if the invoice is sent', () => {
    const sent = aDraft({ collectionMethod: 'SEND_INVOICE' });
    const { state, commands } = openAndCollect(sent, {
      number,
      ...aClaim({ source: savedMethod, now, claimedAt }),
    });

    const collectAt = new Date('2026-02-04T12:00:00.000Z');
    expect(asInvoice(state)).toMatchObject({ status: 'OPEN', attempt: undefined, collectAt });
    expect(asInvoice(state).dueDate).toEqual(new Date('2026-02-04T12:00:00.000Z'));
    expect(commands).toEqual([]);
  });

  test('a second time changes nothing', () => {
    const opened = anOpened({}, savedMethod);
    const again = { number, ...aClaim({ source: savedMethod, now, claimedAt }) };
    expect(openAndCollect(opened, again)).toEqual(unchanged(opened));
  });

  test('never opens a tombstone', () => {
    const { id, subscriptionId, customerId, currency } = aDraft();
    const { state } = tombstone({ id, subscriptionId, customerId, currency });
    const opening = { number, ...aClaim({ source: savedMethod, now, claimedAt }) };
    expect(openAndCollect(state, opening)).toEqual(unchanged(state));
  });
});

describe('collecting a due invoice', () => {
  const due = asInvoice(anOpened()).collectAt!;

  test('claims the slot at its date, also without a source', () => {
    const { state } = collectWhenDue(anOpened(), aClaim({ now: due, claimedAt }));
    expect(asInvoice(state)).toMatchObject({
      attempt: { number: 1, source: nothing, claimedAt },
      collectAt: undefined,
    });
  });

  test('does nothing before its date', () => {
    const early = new Date(due.getTime() - 1);
    const invoice = anOpened();
    const claim = aClaim({ source: savedMethod, now: early, claimedAt });
    expect(collectWhenDue(invoice, claim)).toEqual(unchanged(invoice));
  });

  test('does nothing while another attempt runs', () => {
    const running = anOpened({}, savedMethod);
    const claim = aClaim({ source: savedMethod, now: due, claimedAt });
    expect(collectWhenDue(running, claim)).toEqual(unchanged(running));
  });

  test('does nothing to an invoice that is no longer owed', () => {
    const voided = { ...anOpened(), status: 'VOID' as const };
    const claim = aClaim({ source: savedMethod, now: due, claimedAt });
    expect(collectWhenDue(voided, claim)).toEqual(unchanged(voided));
  });
});

describe('recording', () => {
  test('a success pays the invoice, empties the slot and reports to the subscription', () => {
    const opened = anOpened({}, savedMethod);
    const { startedAt } = opened.attempt!;
    const { state, commands } = recordResult(opened, finished(succeeded));

    expect(asInvoice(state)).toMatchObject({
      status: 'PAID',
      paidAt: now,
      attempt: undefined,
      payments: [
        {
          id: 'payment',
          amount: 2900n,
          provider: 'sandbox',
          providerPaymentId: 'charge',
          status: 'SUCCEEDED',
          ...{ failureCode: undefined, card },
          createdAt: startedAt,
          endedAt: now,
        },
      ],
    });
    expect(commands).toEqual([
      {
        type: 'applyCollectionResult',
        payload: { resultNumber: 1, outcome: 'SUCCEEDED', attempt: 1, nextAttemptAt: null },
      },
    ]);
  });

  test('a failure leaves the invoice open, with a retry three days later', () => {
    const { state, commands } = recordResult(anOpened({}, savedMethod), finished(failed));
    const nextAttemptAt = new Date('2026-01-08T12:00:00.000Z');

    expect(asInvoice(state)).toMatchObject({
      status: 'OPEN',
      attempt: undefined,
      collectAt: nextAttemptAt,
      payments: [{ status: 'FAILED', failureCode: 'card_declined', decline: 'SOFT' }],
    });
    expect(commands[0]?.payload).toEqual({
      resultNumber: 1,
      outcome: 'FAILED',
      attempt: 1,
      nextAttemptAt,
    });
  });

  test('an outcome twice has one effect', () => {
    const once = recordResult(anOpened({}, savedMethod), finished(succeeded)).state;
    expect(recordResult(once, finished(succeeded))).toEqual(unchanged(once));
  });

  test('an attempt that is not in the slot changes nothing', () => {
    const invoice = anOpened({}, savedMethod);
    expect(recordResult(invoice, finished(succeeded, 2))).toEqual(unchanged(invoice));
  });
});

describe('an invoice with 100 payments', () => {
  const payment = {
    id: 'payment',
    amount: 2900n,
    provider: 'sandbox',
    providerPaymentId: undefined,
    status: 'FAILED' as const,
    failureCode: 'card_declined',
    decline: 'SOFT' as const,
    methodId: undefined,
    origin: 'PAYER' as const,
    retry: undefined,
    callId: undefined,
    recorded: undefined,
    overpayment: 0n,
    createdAt: now,
    endedAt: now,
  };
  const payments = Array.from({ length: 100 }, (_, index) => ({ ...payment, number: index + 1 }));
  const invoice = { ...anOpened(), payments };
  const claim = aClaim({ source: savedMethod, now, claimedAt });
  const asked = { ...claim, callId: undefined, returnUrl: undefined };
  const numbers = (record: Parameters<typeof asInvoice>[0]) =>
    asInvoice(record).payments.map((each) => each.number);

  test('drops the oldest failed payment and continues its numbering', () => {
    const paying = payNow(invoice, { ...asked, methods: { methodId: undefined } }).state;
    expect(asInvoice(paying).attempt?.number).toBe(101);
    const again = recordResult(paying, finished(failed, 101)).state;
    expect(numbers(again)).toEqual(Array.from({ length: 100 }, (_, index) => index + 2));
    const last = payNow(again, { ...asked, methods: { methodId: undefined } }).state;
    const paid = recordResult(last, finished(succeeded, 102));
    expect(numbers(paid.state).at(-1)).toBe(102);
    expect(paid.commands[0]?.payload).toMatchObject({ outcome: 'SUCCEEDED', attempt: 102 });
  });

  test('continues with the schedule and a new default', () => {
    const { state } = collectWhenDue(invoice, { ...claim, now: anOpened().collectAt! });
    expect(asInvoice(state).attempt?.number).toBe(101);
    expect(asInvoice(collectWithNewDefault(invoice, claim).state).attempt?.number).toBe(101);
  });
});

test.each([
  'authorization_unknown',
  'authorization_mismatch',
  'authorization_expired',
  'authorization_incomplete',
] as const)('%s says nothing of the card behind it, which is charged three days later', (code) => {
  const source = { kind: 'AUTHORIZATION', authorizedTransactionId: 'pi_1' } as const;
  const methodId = 'method';
  const claim = aClaim({ source, methodId, now, claimedAt });
  const opened = openAndCollect(aDraft(), { number, ...claim }).state;
  const facts = { ...finished(declined(code, undefined)), methods: { methodId } };
  const { state, commands } = recordResult(opened, facts);
  const day3 = new Date('2026-01-08T12:00:00.000Z');
  const charged = { kind: 'METHOD', paymentMethodId: methodId } as const;
  const due = collectWhenDue(state, aClaim({ source: charged, now: day3, claimedAt }));

  expect(commands).toMatchObject([{ payload: { outcome: 'FAILED', nextAttemptAt: day3 } }]);
  expect(asInvoice(due.state).attempt).toMatchObject({ source: charged });
});

describe('the source of the first attempt', () => {
  const authorization = { kind: 'AUTHORIZATION', authorizedTransactionId: 'txn_1' };
  test.each([
    ['the authorization', 'txn_1', undefined, authorization],
    ['the authorization before the saved method', 'txn_1', 'm', authorization],
    ['the saved method', undefined, 'm', { kind: 'METHOD', paymentMethodId: 'm' }],
    ['nothing', undefined, undefined, nothing],
  ])('is %s', (_case, authorizedTransactionId, method, source) => {
    expect(sourceFor({ authorizedTransactionId }, method)).toEqual(source);
  });
});

test.each([
  ['with an attempt in its slot', anOpened({}, savedMethod), true],
  [
    'whose attempt failed',
    asInvoice(recordResult(anOpened({}, savedMethod), finished(failed)).state),
    true,
  ],
  [
    'that is paid',
    asInvoice(recordResult(anOpened({}, savedMethod), finished(succeeded)).state),
    true,
  ],
  ['that waits for an hour', anOpened(), false],
  ['that is sent', anOpened({ collectionMethod: 'SEND_INVOICE' }), false],
  ['that is void', { ...anOpened(), status: 'VOID' as const, resultsSent: 1 }, false],
])('an invoice %s reports a result to the subscription: %s', (_case, invoice, isTold) => {
  expect(isCollecting(invoice)).toBe(isTold);
});

test('every resumption of an attempt uses the same key', () => {
  expect(chargeKey('invoice', { number: 3 })).toBe('invoice:3');
});

test('an attempt may be resumed after 30 seconds of real time', () => {
  expect(resumeAt({ claimedAt })).toEqual(new Date('2031-07-01T00:00:30.000Z'));
});

describe('due work', () => {
  const retries = ['2026-01-08', '2026-01-12', '2026-01-19'].map(
    (day) => new Date(`${day}T12:00:00.000Z`),
  );
  const [third, seventh, fourteenth] = retries as [Date, Date, Date];
  const refused = declined('lost_card', 'charge');
  const methodId = '0197a000-0000-7000-8000-00000000000a';
  const failedWith = (outcome: FinalOutcome) => {
    const facts = { ...finished(outcome), methods: { methodId } };
    return asInvoice(recordResult(anOpened({}, savedMethod), facts).state);
  };
  const dueAt = (at: Date) => aClaim({ source: savedMethod, now: at, claimedAt });

  test('after a soft decline is one charge at each date', () => {
    const { collectAt, retriesLeft } = failedWith(failed);
    expect([collectAt, ...retriesLeft]).toEqual(retries);
    const { state } = collectWhenDue(failedWith(failed), dueAt(third));
    expect(asInvoice(state)).toMatchObject({
      attempt: { number: 2, origin: 'COLLECTION' },
      collectAt: undefined,
      retriesLeft: [seventh, fourteenth],
    });
  });

  test('after a hard decline is only the end of dunning', () => {
    const second = collectWhenDue(failedWith(refused), dueAt(third));
    const last = collectWhenDue(
      collectWhenDue(second.state, dueAt(seventh)).state,
      dueAt(fourteenth),
    );

    expect(second.commands).toEqual([]);
    expect([second.events, last.events]).toEqual([
      [{ type: 'invoice.reminded', data: { reminder: 1 } }],
      [],
    ]);
    expect(second.state).toMatchObject({ collectAt: seventh, attempt: undefined });
    expect(last.state).toMatchObject({ status: 'UNCOLLECTIBLE', collectAt: undefined });
    expect(last.commands[0]?.payload).toMatchObject({ outcome: 'UNCOLLECTIBLE', attempt: 1 });
  });

  test('after a charge reminds with the number of its own date', () => {
    const methods = { methodId };
    const soft = collectWhenDue(failedWith(failed), dueAt(third)).state;
    const facts = { ...finished(refused, 2), now: third, methods };
    const hard = recordResult(soft, facts).state;
    const { state, events } = collectWhenDue(hard, dueAt(seventh));
    expect(events).toEqual([{ type: 'invoice.reminded', data: { reminder: 2 } }]);
    expect(state).toMatchObject({ collectAt: fourteenth, attempt: undefined });
  });

  test('after a hard decline is a charge of another method', () => {
    const source = { kind: 'METHOD', paymentMethodId: 'other' } as const;
    const { state } = collectWhenDue(failedWith(refused), aClaim({ source, now: third }));
    expect(asInvoice(state).attempt).toMatchObject({ methodId: 'other' });
  });

  test('that ends dunning comes before a late payment', () => {
    const late = { ...aClaim({ source: savedMethod, now: new Date(fourteenth.getTime() + 1) }) };
    const payment = { ...late, callId: undefined, returnUrl: undefined, methods: { methodId } };
    const passed = collectWhenDue(failedWith(refused), dueAt(third)).state;
    const atLast = collectWhenDue(passed, dueAt(seventh)).state;
    expect(payNow(atLast, payment).state.status).toBe('UNCOLLECTIBLE');
    expect(payNow(atLast, { ...payment, now: fourteenth }).state).toMatchObject({
      status: 'OPEN',
      attempt: { origin: 'PAYER' },
    });
  });

  test('after a date without a method is a charge of a method that was added since, at the provider', () => {
    const without = finished(declined('no_payment_method', undefined));
    const unpaid = recordResult(anOpened({}, savedMethod), without).state;
    const retried = collectWhenDue(unpaid, aClaim({ now: third, claimedAt })).state;
    expect(asInvoice(retried).attempt).toMatchObject({ provider: 'none', retry: 1 });
    const facts = { ...without, attemptNumber: 2, now: third, methods: { methodId: 'new' } };
    const next = { number: 3, methodId: 'new', retry: 1, provider: 'sandbox' };
    expect(asInvoice(recordResult(retried, facts).state).attempt).toMatchObject(next);
    const missing = recordResult(retried, { ...facts, provider: undefined });
    expect(asInvoice(missing.state)).toMatchObject({ attempt: undefined, collectAt: seventh });
  });

  test('after an outage of weeks leaves a day between two retries', () => {
    const back = new Date(fourteenth.getTime() + 5 * 24 * 60 * 60 * 1000);
    const retried = collectWhenDue(failedWith(failed), dueAt(back)).state;
    const { state } = recordResult(retried, {
      ...finished(failed, 2),
      now: back,
      methods: { methodId },
    });
    const dayAfter = (days: number) => new Date(back.getTime() + days * 24 * 60 * 60 * 1000);
    expect(asInvoice(state)).toMatchObject({ collectAt: dayAfter(1), retriesLeft: [dayAfter(2)] });
  });

  test("of an invoice that a payer pays waits for the payer's attempt", () => {
    const payment = {
      ...aClaim({ source: savedMethod, now }),
      callId: 'x',
      returnUrl: 'https://a',
    };
    const paying = payNow(failedWith(failed), { ...payment, methods: { methodId } }).state;
    expect(collectWhenDue(paying, dueAt(third))).toEqual(unchanged(paying));
  });
});

describe('a due date for which the scanner is late', () => {
  const sent = anOpened({ collectionMethod: 'SEND_INVOICE' });
  const dueDate = sent.dueDate!;
  const late = new Date(dueDate.getTime() + 1);
  const payment = (at: Date) => ({
    ...aClaim({ source: savedMethod, now: at }),
    callId: 'x',
    returnUrl: 'https://a',
    methods: { methodId: undefined },
  });
  const paidAt = (at: Date) => ({ ...finished(succeeded), now: at });
  const reports = ({ commands }: ReturnType<typeof payNow>) =>
    commands
      .filter(({ type }) => type === 'applyCollectionResult')
      .map(({ payload }) => [payload.resultNumber, payload.outcome]);

  test('is reported before a payment', () => {
    const paying = payNow(sent, payment(late));
    expect(reports(paying)).toEqual([[1, 'OVERDUE']]);
    expect(asInvoice(paying.state).attempt).toMatchObject({ number: 1 });
    expect(reports(recordResult(paying.state, paidAt(late)))).toEqual([[2, 'SUCCEEDED']]);
  });

  test('is reported before the outcome of a payment that was begun in time', () => {
    const paying = payNow(sent, payment(dueDate));
    expect(reports(paying)).toEqual([]);
    expect(reports(recordResult(paying.state, paidAt(dueDate)))).toEqual([[1, 'SUCCEEDED']]);
    expect(reports(recordResult(paying.state, paidAt(late)))).toEqual([
      [1, 'OVERDUE'],
      [2, 'SUCCEEDED'],
    ]);
  });

  test('is reported before a void', () => {
    expect(reports(voidForCaller(sent, dueDate))).toEqual([[1, 'VOIDED']]);
    expect(reports(voidForCaller(sent, late))).toEqual([
      [1, 'OVERDUE'],
      [2, 'VOIDED'],
    ]);
  });

  test('is reported once', () => {
    const reported = collectWhenDue(sent, aClaim({ now: dueDate, claimedAt })).state;
    expect(reports(payNow(reported, payment(late)))).toEqual([]);
  });
});
