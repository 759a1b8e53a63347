import { dueStep } from '../lifecycle/due-steps';
import { discountEndsAt } from '../subscription/discount';
import { isEntitled } from '../subscription/entitlement';
import { currentPeriod, nextInvoiceAt } from '../subscription/subscription';
import {
  aCreation,
  aCustomer,
  aDiscount,
  aNewSubscription,
  anInput,
  aPrice,
  aSubscription,
  day,
  invoiceIdOf,
} from '../testing/fixtures';
import { authorizationResolved, createFromCheckout, isSettled, type Purchase } from './creation';
import type { SubscriptionInput } from './input';

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
    entitled: false,
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
    entitled: false,
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
    entitled: false,
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
    entitled: false,
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
    aNewSubscription(
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
    expect(isEntitled(state, { createdAt: row.now })).toBe(row.entitled);
    const invoiceId = row.periodIndex === null ? null : invoiceIdOf(row.periodIndex);
    expect(events).toEqual([
      { type: 'subscription.created', data: { subscription: state, invoiceId } },
    ]);
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
        payload: {
          periodIndex,
          invoiceId,
          reason: 'SUBSCRIPTION_CREATE',
          authorizedTransactionId,
          isDiscounted: false,
        },
      },
    ]);
    expect(state.openInvoices).toMatchObject([{ periodIndex, invoiceId, lastResult: 0 }]);
  });

  test.each(unbilled)('$name: and saves the authorized method, but bills nothing', (row) => {
    const { state, commands } = begin(row, { authorizedTransactionId });

    expect(commands).toEqual([
      { type: 'resolveAuthorization', payload: { authorizedTransactionId } },
    ]);
    expect(state.openInvoices).toEqual([]);
    expect(begin(row).commands).toEqual([]);
  });

  test('with the price, the customer and the input of that time', () => {
    const metadata = { 'a.b': 1, c: null };
    const price = aPrice({ amount: 99_999_999_999n, currency: 'JPY' });
    const customer = aCustomer({ name: null, collectionMethod: 'SEND_INVOICE' });
    const state = aSubscription({ metadata, quantity: 7 }, { price, customer, productName: 'Max' });

    expect(state).toMatchObject({
      items: [{ price, productName: 'Max', quantity: 7 }],
      customer: { id: customer.id, email: customer.email, name: null },
      collectionMethod: 'SEND_INVOICE',
      metadata,
    });
  });
});

describe('a new subscription with a discount', () => {
  const discount = aDiscount();
  const confirmation = { type: 'confirmRedemption', payload: { discountId: discount.id } };

  test('deducts it from its first invoice, and confirms the redemption after ordering that invoice', () => {
    const { state, commands } = aNewSubscription(anInput(), aCreation({ discount }));

    expect(state.discount).toEqual({ ...discount, holderId: null, firstPeriodStart: day('01-31') });
    expect(commands).toEqual([
      expect.objectContaining({
        type: 'billPeriod',
        payload: expect.objectContaining({ isDiscounted: true }),
      }),
      confirmation,
    ]);
  });

  test('keeps it for the first period of a later start', () => {
    const { state, commands } = aNewSubscription(
      anInput({ startAt: day('03-31'), authorizedTransactionId }),
      aCreation({ discount }),
    );

    expect(state.discount).toEqual({ ...discount, holderId: null, firstPeriodStart: null });
    expect(commands).toMatchObject([{ type: 'resolveAuthorization' }, confirmation]);
  });
});

describe('a subscription sold by a checkout session', () => {
  const paid = { id: 'invoice-of-the-session' };
  const sold = (parts: Partial<Purchase> = {}) =>
    createFromCheckout({
      ...aCreation(),
      productId: anInput().productId,
      quantity: 2,
      metadata: { seat: 1 },
      completedAt: day('01-31'),
      invoice: { id: paid.id, form: paid },
      attempt: 1,
      ...parts,
    });

  test('begins with the period that its invoice has paid, and orders nothing', () => {
    const { state, events, commands } = sold();

    expect(state).toMatchObject({
      status: 'ACTIVE',
      phase: 'REGULAR',
      startAt: day('01-31'),
      anchor: day('01-31'),
      trialEnd: null,
      periodIndex: 0,
      items: [{ quantity: 2 }],
      metadata: { seat: 1 },
      openInvoices: [],
      latestInvoice: { id: paid.id, periodIndex: 0 },
      authorizedTransactionId: null,
    });
    expect(dueStep(state)).toEqual({ at: day('02-28'), kind: 'ENTER_PERIOD' });
    expect(isSettled(state)).toBe(true);
    const payment = { invoice: paid, attempt: 1, nextAttemptAt: null };
    expect(events).toEqual([
      { type: 'subscription.created', data: { subscription: state, invoiceId: paid.id } },
      { type: 'subscription.payment_succeeded', data: { subscription: state, payment } },
    ]);
    expect(commands).toEqual([]);
  });

  test('announces no payment where nothing was due', () => {
    const { events } = sold({ attempt: 0 });
    expect(events.map(({ type }) => type)).toEqual(['subscription.created']);
  });

  test("begins with its trial, and bills period 0 at the trial's end", () => {
    const { state, events } = sold({ price: aPrice({ trialDays: 14 }), attempt: 0 });

    expect(state).toMatchObject({
      phase: 'TRIAL',
      trialStart: day('01-31'),
      trialEnd: day('02-14'),
      anchor: day('02-14'),
      periodIndex: null,
      latestInvoice: { id: paid.id, periodIndex: null },
    });
    expect(dueStep({ ...state, warnedOf: day('02-14') })).toEqual({
      at: day('02-14'),
      kind: 'ENTER_PERIOD',
    });
    expect(events).toEqual([
      { type: 'subscription.created', data: { subscription: state, invoiceId: paid.id } },
    ]);
  });

  test('has no trial when the trial has no days', () => {
    expect(sold({ price: aPrice({ trialDays: 0 }) }).state).toMatchObject({
      phase: 'REGULAR',
      trialStart: null,
      periodIndex: 0,
    });
  });

  test.each([
    ['with its first period', aPrice(), day('01-31'), day('02-28')],
    ['later, where its trial costs nothing', aPrice({ trialDays: 14 }), null, null],
    ['later, where its period costs nothing', aPrice({ amount: 0n }), null, null],
  ])('uses its discount up %s', (_name, price, firstPeriodStart, endsAt) => {
    const { state } = sold({ price, discount: aDiscount() });
    expect(state.discount).toEqual({ ...aDiscount(), holderId: null, firstPeriodStart });
    expect(discountEndsAt(state)).toEqual(endsAt);
  });
});

describe('a creation is settled', () => {
  const trial = { price: aPrice({ trialDays: 14 }) };

  test('immediately when no charge follows', () => {
    expect(isSettled(aSubscription({}, trial))).toBe(true);
  });

  test('once the authorization is resolved', () => {
    const state = aSubscription({ authorizedTransactionId }, trial);
    expect(isSettled(state)).toBe(false);
    expect(isSettled(authorizationResolved(state))).toBe(true);
  });

  test('only after its invoice', () => {
    expect(isSettled(aSubscription())).toBe(false);
  });

  test('when it was canceled in between', () => {
    expect(isSettled({ ...aSubscription(), status: 'CANCELED' })).toBe(true);
  });
});
