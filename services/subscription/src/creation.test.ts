import { authorizationResolved, createSubscription, isSettled } from './creation';
import type { SubscriptionInput } from './creation-input';
import { currentPeriod, isEntitled, nextInvoiceAt } from './subscription';
import { aCreation, aCustomer, anInput, aPrice, aSubscription, day, invoiceIdOf } from './testing';

const authorizedTransactionId = 'txn_4242424242424242';

interface Beginning {
  readonly name: string;
  readonly startAt: Date | null;
  readonly trialDays: number | null;
  readonly now: Date;
  readonly phase: string;
  readonly anchor: Date;
  readonly periodIndex: number | null;
  readonly period: readonly [Date, Date];
  readonly nextInvoice: Date;
  readonly entitled: boolean;
}

const beginnings: readonly Beginning[] = [
  {
    name: 'without a start, at once',
    startAt: null,
    trialDays: null,
    now: day('01-31'),
    phase: 'REGULAR',
    anchor: day('01-31'),
    periodIndex: 0,
    period: [day('01-31'), day('02-28')],
    nextInvoice: day('02-28'),
    entitled: true,
  },
  {
    name: 'without a start, with a trial',
    startAt: null,
    trialDays: 14,
    now: day('01-17'),
    phase: 'TRIAL',
    anchor: day('01-31'),
    periodIndex: null,
    period: [day('01-17'), day('01-31')],
    nextInvoice: day('01-31'),
    entitled: true,
  },
  {
    name: 'at once where the trial has no days',
    startAt: null,
    trialDays: 0,
    now: day('01-31'),
    phase: 'REGULAR',
    anchor: day('01-31'),
    periodIndex: 0,
    period: [day('01-31'), day('02-28')],
    nextInvoice: day('02-28'),
    entitled: true,
  },
  {
    name: 'ahead',
    startAt: day('03-31'),
    trialDays: null,
    now: day('01-17'),
    phase: 'SCHEDULED',
    anchor: day('03-31'),
    periodIndex: null,
    period: [day('03-31'), day('04-30')],
    nextInvoice: day('03-31'),
    entitled: false,
  },
  {
    name: 'ahead, with a trial',
    startAt: day('03-17'),
    trialDays: 14,
    now: day('01-17'),
    phase: 'SCHEDULED',
    anchor: day('03-31'),
    periodIndex: null,
    period: [day('03-17'), day('03-31')],
    nextInvoice: day('03-31'),
    entitled: false,
  },
  {
    name: 'in the past, in the period that contains now',
    startAt: day('01-31'),
    trialDays: null,
    now: day('04-15'),
    phase: 'REGULAR',
    anchor: day('01-31'),
    periodIndex: 2,
    period: [day('03-31'), day('04-30')],
    nextInvoice: day('04-30'),
    entitled: true,
  },
  {
    name: 'in the past, on a boundary, in the period that it opens',
    startAt: day('01-31'),
    trialDays: null,
    now: day('03-31'),
    phase: 'REGULAR',
    anchor: day('01-31'),
    periodIndex: 2,
    period: [day('03-31'), day('04-30')],
    nextInvoice: day('04-30'),
    entitled: true,
  },
  {
    name: 'in the past, with a trial that still runs',
    startAt: day('01-17'),
    trialDays: 14,
    now: day('01-30'),
    phase: 'TRIAL',
    anchor: day('01-31'),
    periodIndex: null,
    period: [day('01-17'), day('01-31')],
    nextInvoice: day('01-31'),
    entitled: true,
  },
  {
    name: 'in the past, with a trial that ends now',
    startAt: day('01-17'),
    trialDays: 14,
    now: day('01-31'),
    phase: 'REGULAR',
    anchor: day('01-31'),
    periodIndex: 0,
    period: [day('01-31'), day('02-28')],
    nextInvoice: day('02-28'),
    entitled: true,
  },
  {
    name: 'in the past, with a trial that is over',
    startAt: day('01-17'),
    trialDays: 14,
    now: day('03-01'),
    phase: 'REGULAR',
    anchor: day('01-31'),
    periodIndex: 1,
    period: [day('02-28'), day('03-31')],
    nextInvoice: day('03-31'),
    entitled: true,
  },
];

describe('a new subscription begins', () => {
  const begin = ({ startAt, trialDays, now }: Beginning, input: Partial<SubscriptionInput> = {}) =>
    createSubscription(
      anInput({ startAt, ...input }),
      aCreation({ now, price: aPrice({ trialDays }) }),
    );

  test.each(beginnings)('$name', (row) => {
    const { state, events } = begin(row);

    expect(state).toMatchObject({
      status: 'ACTIVE',
      phase: row.phase,
      startAt: row.startAt ?? row.now,
      anchor: row.anchor,
      periodIndex: row.periodIndex,
      trialEnd: row.trialDays === null || row.trialDays === 0 ? null : row.anchor,
    });
    expect(currentPeriod(state)).toEqual({ start: row.period[0], end: row.period[1] });
    expect(nextInvoiceAt(state)).toEqual(row.nextInvoice);
    expect(isEntitled(state)).toBe(row.entitled);
    expect(events).toEqual([{ type: 'subscription.created', data: { subscription: state } }]);
  });

  const billed = beginnings.filter(({ periodIndex }) => periodIndex !== null);
  const unbilled = beginnings.filter(({ periodIndex }) => periodIndex === null);

  test.each(billed)('$name: and bills that period alone', (row) => {
    const { state, commands } = begin(row, { authorizedTransactionId });
    const periodIndex = row.periodIndex ?? -1;
    const invoiceId = invoiceIdOf(periodIndex);

    expect(commands).toEqual([
      {
        type: 'billPeriod',
        payload: { periodIndex, invoiceId, reason: 'SUBSCRIPTION_CREATE', authorizedTransactionId },
      },
    ]);
    expect(state.openInvoices).toMatchObject([{ periodIndex, invoiceId, lastResult: 0 }]);
  });

  test.each(unbilled)('$name: and saves the authorised method, but bills nothing', (row) => {
    const { state, commands } = begin(row, { authorizedTransactionId });

    expect(commands).toEqual([
      { type: 'resolveAuthorization', payload: { authorizedTransactionId } },
    ]);
    expect(state.openInvoices).toEqual([]);
    expect(begin(row).commands).toEqual([]);
  });

  test('with the price, the customer and the input as they are then', () => {
    const metadata = { 'a.b': 1, c: null };
    const price = aPrice({ amount: 99_999_999_999n, currency: 'JPY' });
    const customer = aCustomer({ name: null, collectionMethod: 'SEND_INVOICE' });
    const state = aSubscription({ metadata, quantity: 7 }, { price, customer, productName: 'Max' });

    expect(state).toMatchObject({
      price,
      customer: { id: customer.id, email: customer.email, name: null },
      collectionMethod: 'SEND_INVOICE',
      productName: 'Max',
      metadata,
      quantity: 7,
    });
  });
});

describe('creation is settled', () => {
  const trial = { price: aPrice({ trialDays: 14 }) };

  test('at once where nothing follows by itself', () => {
    expect(isSettled(aSubscription({}, trial))).toBe(true);
  });

  test('once the authorisation is resolved', () => {
    const state = aSubscription({ authorizedTransactionId }, trial);
    expect(isSettled(state)).toBe(false);
    expect(isSettled(authorizationResolved(state))).toBe(true);
  });

  test('only after its invoice', () => {
    expect(isSettled(aSubscription())).toBe(false);
  });

  test('when it was cancelled meanwhile', () => {
    expect(isSettled({ ...aSubscription(), status: 'CANCELED' })).toBe(true);
  });
});
