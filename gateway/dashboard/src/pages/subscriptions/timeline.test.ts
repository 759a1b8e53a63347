import type { Invoice, InvoicePayment } from '../invoices/invoice';
import { historyOf, placeOf, timelineOf } from './timeline';

const day = (text: string) => `2026-${text}T00:00:00.000Z`;

const subscription = {
  status: 'ACTIVE',
  createdAt: day('01-01'),
  startAt: day('01-01'),
  trialStart: null,
  trialEnd: null,
  endedAt: null,
  nextInvoiceAt: day('03-01'),
  cancelAtPeriodEnd: false,
  currentPeriodEnd: day('03-01'),
} as const;

const payment = (at: string, status: string) =>
  ({
    createdAt: day(at),
    status,
    amount: 2900,
    currency: 'USD',
    failureCode: status === 'FAILED' ? 'card_declined' : null,
  }) as InvoicePayment;

const invoice = (at: string, more: Partial<Invoice> = {}) =>
  ({
    id: `invoice of ${at}`,
    number: `INV-${at}`,
    status: 'PAID',
    collectionMethod: 'CHARGE_AUTOMATICALLY',
    billingReason: 'SUBSCRIPTION_CYCLE',
    currency: 'USD',
    total: 2900,
    dueDate: null,
    paidAt: day(at),
    createdAt: day(at),
    updatedAt: day(at),
    payments: [payment(at, 'SUCCEEDED')],
    ...more,
  }) as Invoice;

const spansOf = (...args: Parameters<typeof timelineOf>) =>
  timelineOf(...args).spans.map(({ state, from, to }) => [
    state,
    from.slice(5, 10),
    to.slice(5, 10),
  ]);

test('a subscription that pays is active from its start to its next invoice', () => {
  expect(spansOf(subscription, [invoice('01-01'), invoice('02-01')], day('02-15'))).toEqual([
    ['active', '01-01', '03-01'],
  ]);
});

test('a trial comes first, and what is set up before it begins is scheduled', () => {
  const trial = {
    ...subscription,
    startAt: day('01-10'),
    trialStart: day('01-10'),
    trialEnd: day('01-24'),
  };
  expect(spansOf(trial, [], day('02-15'))).toEqual([
    ['scheduled', '01-01', '01-10'],
    ['trial', '01-10', '01-24'],
    ['active', '01-24', '03-01'],
  ]);
});

test('what begins in the past is drawn from there', () => {
  const early = { ...subscription, createdAt: day('01-20') };
  expect(spansOf(early, [], day('02-15'))).toEqual([['active', '01-01', '03-01']]);
});

test('it is past due from the first failure until the invoice is paid', () => {
  const recovered = invoice('02-01', {
    paidAt: day('02-08'),
    payments: [
      payment('02-01', 'FAILED'),
      payment('02-04', 'FAILED'),
      payment('02-08', 'SUCCEEDED'),
    ],
  });
  expect(spansOf(subscription, [recovered], day('02-15'))).toEqual([
    ['active', '01-01', '02-01'],
    ['past due', '02-01', '02-08'],
    ['active', '02-08', '03-01'],
  ]);
});

test('invoices that fail at the same time make one stretch', () => {
  const failing = (at: string, paid: string) =>
    invoice(at, {
      paidAt: day(paid),
      payments: [payment(at, 'FAILED'), payment(paid, 'SUCCEEDED')],
    });
  const both = [failing('01-20', '01-30'), failing('01-10', '01-25')];
  expect(spansOf(subscription, both, day('02-15'))).toEqual([
    ['active', '01-01', '01-10'],
    ['past due', '01-10', '01-30'],
    ['active', '01-30', '03-01'],
  ]);
});

test('what is past due now stays so as far as one sees', () => {
  const failed = invoice('02-01', {
    status: 'OPEN',
    paidAt: null,
    payments: [payment('02-01', 'FAILED')],
  });
  const pastDue = { ...subscription, status: 'PAST_DUE' } as const;
  expect(spansOf(pastDue, [failed], day('02-15'))).toEqual([
    ['active', '01-01', '02-01'],
    ['past due', '02-01', '03-01'],
  ]);
});

test('whoever gives up after the last failure has ended, with little after it', () => {
  const written = invoice('02-01', {
    status: 'UNCOLLECTIBLE',
    paidAt: null,
    payments: [payment('02-01', 'FAILED'), payment('02-15', 'FAILED')],
  });
  const ended = {
    ...subscription,
    status: 'CANCELED',
    endedAt: day('02-15'),
    nextInvoiceAt: null,
  } as const;
  expect(spansOf(ended, [written], day('11-21'))).toEqual([
    ['active', '01-01', '02-01'],
    ['past due', '02-01', '02-15'],
    ['canceled', '02-15', '02-21'],
  ]);
});

test('a sent invoice troubles from the day when it was due', () => {
  const sent = invoice('01-01', {
    collectionMethod: 'SEND_INVOICE',
    dueDate: day('01-31'),
    paidAt: day('02-03'),
  });
  const inTime = { ...sent, paidAt: day('01-15') };
  const notYet: Invoice = { ...sent, dueDate: day('02-20'), paidAt: null, status: 'OPEN' };
  expect(spansOf(subscription, [sent], day('02-15'))).toEqual([
    ['active', '01-01', '01-31'],
    ['past due', '01-31', '02-03'],
    ['active', '02-03', '03-01'],
  ]);
  for (const one of [inTime, notYet]) {
    expect(spansOf(subscription, [one], day('02-15'))).toEqual([['active', '01-01', '03-01']]);
  }
});

test('cards that failed on a checkout’s page came before the subscription', () => {
  const bought = invoice('01-01', {
    billingReason: 'CHECKOUT',
    payments: [payment('01-01', 'FAILED'), payment('01-02', 'SUCCEEDED')],
    paidAt: day('01-02'),
  });
  expect(spansOf(subscription, [bought], day('02-15'))).toEqual([['active', '01-01', '03-01']]);
});

test('a voided invoice troubles no more', () => {
  const voided = invoice('02-01', {
    status: 'VOID',
    paidAt: null,
    updatedAt: day('02-05'),
    payments: [payment('02-01', 'FAILED')],
  });
  expect(spansOf(subscription, [voided], day('02-15')).map(([state]) => state)).toEqual([
    'active',
    'past due',
    'active',
  ]);
});

test('instants have their places from left to right, and none outside', () => {
  const drawn = { from: day('01-01'), to: day('01-11') };
  expect(placeOf(day('01-01'), drawn)).toBe(0);
  expect(placeOf(day('01-06'), drawn)).toBe(50);
  expect(placeOf(day('02-01'), drawn)).toBe(100);
  expect(placeOf(day('01-01'), { from: day('01-01'), to: day('01-01') })).toBe(0);
});

test('the history tells everything that has happened, the newest first, and nothing that is ahead', () => {
  const recovered = invoice('02-01', {
    paidAt: day('02-04'),
    payments: [payment('02-01', 'FAILED'), payment('02-04', 'SUCCEEDED')],
  });
  const timeline = timelineOf(subscription, [recovered], day('02-15'));
  expect(historyOf(timeline).map(({ at, text }) => `${at.slice(5, 10)} ${text}`)).toEqual([
    '02-04 $29.00 of INV-02-01 was paid',
    '02-04 Became active',
    '02-01 Charging $29.00 of INV-02-01 failed: card declined',
    '02-01 INV-02-01 of $29.00 was made, it is paid',
    '02-01 Became past due',
    '01-01 Became active',
  ]);
  expect(historyOf(timeline)[0]?.invoiceId).toBe('invoice of 02-01');
});
