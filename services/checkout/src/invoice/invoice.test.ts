import { AMOUNT_MAX } from '@billing/kernel/money';
import { unchanged } from '@billing/kernel/transition';
import {
  aDraft,
  aLineItem,
  aNewInvoice,
  anOpened,
  savedMethod,
  asInvoice,
} from '../testing/invoice';
import { draft } from '../draft/draft';
import {
  amountDue,
  amountPaid,
  checkHolder,
  open,
  pay,
  tombstone,
  totalOf,
  voidInvoice,
} from './invoice';

const now = new Date('2026-01-05T12:00:00.000Z');
const number = 'INV-000007';

describe('drafting', () => {
  test('creates an invoice without a number and requests its opening', () => {
    const { state, events, commands } = draft(aNewInvoice());

    expect(state).toMatchObject({
      status: 'DRAFT',
      number: undefined,
      payments: [],
      resultsSent: 0,
    });
    expect(commands).toEqual([{ type: 'openInvoice', payload: {} }]);
    expect(events).toEqual([]);
  });

  test.each([
    ['no line', [], 'Required'],
    ['a sum below 0', [aLineItem({ amount: -1n })], 'Must sum to 0 to 99999999999'],
    [
      'a line further below 0 than any amount',
      [aLineItem({ amount: AMOUNT_MAX }), aLineItem({ amount: -AMOUNT_MAX - 1n })],
      'Must be between 0 and 99999999999',
    ],
    [
      'a sum over the largest amount',
      [aLineItem({ amount: AMOUNT_MAX }), aLineItem({ amount: 1n })],
      'Must sum to 0 to 99999999999',
    ],
  ])('refuses %s', (_case, lineItems, message) => {
    expect(() => draft(aNewInvoice({ lineItems }))).toThrow(
      expect.objectContaining({ kind: 'invalid_input', fields: { lineItems: [message] } }) as Error,
    );
  });
});

test.each([
  ['what is below 0 lessens the sum', [2900n, -2900n]],
  ['the largest amount', [99_999_999_999n]],
])('a draft accepts lines: %s', (_name, amounts) => {
  const lineItems = amounts.map((amount) => aLineItem({ amount }));
  expect(draft({ ...aNewInvoice(), lineItems }).state.lineItems).toHaveLength(amounts.length);
});

describe('amounts', () => {
  test('the total is the sum of the lines', () => {
    expect(
      totalOf(aDraft({ lineItems: [aLineItem({ amount: 2900n }), aLineItem({ amount: 1n })] })),
    ).toBe(2901n);
  });

  test('the amount due of an open invoice is the unpaid rest', () => {
    const invoice = anOpened();
    expect([amountPaid(invoice), amountDue(invoice)]).toEqual([0n, 2900n]);
  });

  test.each(['DRAFT', 'PAID', 'VOID'] as const)('the amount due of a %s invoice is 0', (status) => {
    expect(amountDue({ ...anOpened(), status })).toBe(0n);
  });

  test('failed payments do not reduce the amount due', () => {
    const payment = {
      id: 'p',
      amount: 2900n,
      provider: 'sandbox',
      providerPaymentId: 'c',
      failureCode: undefined,
      decline: undefined,
      methodId: undefined,
      number: 1,
      origin: 'COLLECTION' as const,
      retry: 0,
      callId: undefined,
      recorded: undefined,
      overpayment: 0n,
      createdAt: now,
      endedAt: now,
    };
    const payments = [
      { ...payment, status: 'FAILED' as const },
      { ...payment, status: 'SUCCEEDED' as const },
    ];
    expect(amountPaid({ payments })).toBe(2900n);
  });
});

describe('opening', () => {
  test('numbers the invoice and removes the authorization', () => {
    const opened = open(aDraft({ authorizedTransactionId: 'txn_1' }), { number, now });
    expect(opened).toMatchObject({
      status: 'OPEN',
      number,
      authorizedTransactionId: undefined,
      dueDate: undefined,
    });
  });

  test('gives a sent invoice 30 days', () => {
    const { dueDate } = open(aDraft({ collectionMethod: 'SEND_INVOICE' }), { number, now });
    expect(dueDate).toEqual(new Date('2026-02-04T12:00:00.000Z'));
  });

  test('twice is a bug', () => {
    expect(() => open(anOpened(), { number, now })).toThrow('already open');
  });
});

describe('paying', () => {
  test('settles an open invoice', () => {
    expect(pay(anOpened(), now)).toMatchObject({
      status: 'PAID',
      paidAt: now,
      collectAt: undefined,
    });
  });

  test('needs an open invoice', () => {
    expect(() => pay({ ...anOpened(), status: 'VOID' }, now)).toThrow('is VOID');
  });
});

describe('voiding', () => {
  test('drops the scheduled attempt', () => {
    const invoice = anOpened();
    expect(invoice.collectAt).toBeDefined();
    const { state, commands } = voidInvoice(invoice, { number: undefined, now });
    expect(state).toMatchObject({ status: 'VOID', number: 'INV-000001', collectAt: undefined });
    expect(asInvoice(state).voidedAt).toEqual(now);
    expect(commands).toEqual([]);
  });

  test('numbers a draft first, and sends no result', () => {
    const { state, commands } = voidInvoice(aDraft(), { number, now });
    expect(asInvoice(state)).toMatchObject({ status: 'VOID', number, attempt: undefined });
    expect(commands).toEqual([]);
  });

  test('of a draft without a number is a bug', () => {
    expect(() => voidInvoice(aDraft(), { number: undefined, now })).toThrow('has no number');
  });

  test('is refused while an attempt runs', () => {
    expect(() => voidInvoice(anOpened({}, savedMethod), { number: undefined, now })).toThrow(
      expect.objectContaining({
        kind: 'failed_precondition',
        reason: 'PAYMENT_IN_PROGRESS',
      }) as Error,
    );
  });

  test.each(['PAID', 'VOID'] as const)('leaves a %s invoice as it is', (status) => {
    const invoice = { ...anOpened(), status };
    expect(voidInvoice(invoice, { number: undefined, now })).toEqual(unchanged(invoice));
  });

  test('leaves a tombstone as it is', () => {
    const { id, subscriptionId, customerId, currency } = aDraft();
    const { state } = tombstone({ id, subscriptionId, customerId, currency });
    expect(state).toMatchObject({ isTombstone: true, status: 'VOID' });
    expect(voidInvoice(state, { number: undefined, now })).toEqual(unchanged(state));
  });
});

test('an id that another subscription holds is a bug', () => {
  const invoice = aDraft();
  expect(() => {
    checkHolder(invoice, invoice);
  }).not.toThrow();
  expect(() => {
    checkHolder(invoice, { subscriptionId: 'another' });
  }).toThrow('is not of subscription another');
});
