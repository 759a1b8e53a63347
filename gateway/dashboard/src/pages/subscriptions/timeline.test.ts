import type { Invoice, InvoicePayment } from '../../resources/invoice/invoice';
import type { SubscriptionChange } from './plan-change';
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

const spansOf = (
  lived: Parameters<typeof timelineOf>[0],
  invoices: readonly Invoice[],
  now: string,
  changes: readonly SubscriptionChange[] = [],
) =>
  timelineOf(lived, invoices, changes, now).spans.map(({ state, from, to }) => [
    state,
    from.slice(5, 10),
    to.slice(5, 10),
  ]);

test('a paid subscription is active from its start to its next invoice', () => {
  expect(spansOf(subscription, [invoice('01-01'), invoice('02-01')], day('02-15'))).toEqual([
    ['active', '01-01', '03-01'],
  ]);
});

test('a pause interrupts the active time', () => {
  const step = (kind: SubscriptionChange['kind'], at: string) =>
    ({ kind, status: 'APPLIED', effectiveAt: day(at) }) as SubscriptionChange;
  const side = {
    items: [] as const,
    discountId: null,
    currentPeriodStart: '',
    currentPeriodEnd: '',
  };
  const full = [step('RESUME', '02-10'), step('PAUSE', '01-16')].map((change) => ({
    ...change,
    ...{ id: change.effectiveAt, at: 'NOW', from: side, to: side, invoiceId: null },
  })) as unknown as SubscriptionChange[];
  expect(spansOf(subscription, [], day('02-15'), full)).toEqual([
    ['active', '01-01', '01-16'],
    ['paused', '01-16', '02-10'],
    ['active', '02-10', '03-01'],
  ]);
});

test('a subscription with a trial is scheduled, then on trial, then active', () => {
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

test('the timeline of a backdated subscription begins at its start', () => {
  const early = { ...subscription, createdAt: day('01-20') };
  expect(spansOf(early, [], day('02-15'))).toEqual([['active', '01-01', '03-01']]);
});

test('a subscription is past due from the first failure until the invoice is paid', () => {
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

test('overlapping failed invoices form one past-due span', () => {
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

test('a subscription that is past due now stays past due to the end of the timeline', () => {
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

test('a subscription that ends after the last failure has a short canceled span', () => {
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

test('an overdue sent invoice makes a subscription past due from its due date', () => {
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

test('failed payments on a checkout page do not make a subscription past due', () => {
  const bought = invoice('01-01', {
    billingReason: 'CHECKOUT',
    payments: [payment('01-01', 'FAILED'), payment('01-02', 'SUCCEEDED')],
    paidAt: day('01-02'),
  });
  expect(spansOf(subscription, [bought], day('02-15'))).toEqual([['active', '01-01', '03-01']]);
});

test('a voided invoice ends the past-due span', () => {
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

test('positions of instants lie between 0 and 100 percent', () => {
  const drawn = { from: day('01-01'), to: day('01-11') };
  expect(placeOf(day('01-01'), drawn)).toBe(0);
  expect(placeOf(day('01-06'), drawn)).toBe(50);
  expect(placeOf(day('02-01'), drawn)).toBe(100);
  expect(placeOf(day('01-01'), { from: day('01-01'), to: day('01-01') })).toBe(0);
});

test('the history lists past events, newest first', () => {
  const recovered = invoice('02-01', {
    paidAt: day('02-04'),
    payments: [payment('02-01', 'FAILED'), payment('02-04', 'SUCCEEDED')],
  });
  const timeline = timelineOf(subscription, [recovered], [], day('02-15'));
  expect(historyOf(timeline).map(({ at, text }) => `${at.slice(5, 10)} ${text}`)).toEqual([
    '02-04 Payment of $29.00 for INV-02-01 succeeded',
    '02-04 Became active',
    '02-01 Charge of $29.00 for INV-02-01 failed: card declined',
    '02-01 INV-02-01 created: $29.00, paid',
    '02-01 Became past due',
    '01-01 Became active',
  ]);
  expect(historyOf(timeline)[0]?.invoiceId).toBe('invoice of 02-01');
});

describe('the timeline of a changed subscription', () => {
  const price = { type: 'PER_UNIT', amount: 1900, currency: 'USD', tiers: null } as const;
  const recurrence = { billingInterval: 'MONTHLY', intervalCount: 1 } as const;
  const side = (quantity: number, discountId: string | null = null) => ({
    items: [{ priceId: 'price', quantity, price: { ...price, ...recurrence } }],
    discountId,
  });
  const ofDiscount = (from: string | null, to: string | null, more = {}) =>
    change({ ...({ from: side(3, from), to: side(3, to) } as object), ...more });
  const change = (more: Partial<SubscriptionChange>) =>
    ({
      id: 'change',
      kind: 'UPDATE',
      status: 'APPLIED',
      at: 'NOW',
      createdAt: day('01-10'),
      updatedAt: day('01-10'),
      effectiveAt: day('01-10'),
      from: side(3),
      to: side(2),
      invoiceId: null,
      failure: null,
      replacedBy: null,
      ...more,
    }) as SubscriptionChange;
  const [three, two] = ['3 × $19.00 / unit / month', '2 × $19.00 / unit / month'];
  const waiting = { at: 'PERIOD_END', effectiveAt: day('02-01') } as const;
  const asked = `01-10 Change to ${two} scheduled for Feb 1, 2026`;

  test.each([
    ['applied now', change({}), [`01-10 Changed from ${three} to ${two}`]],
    ['that waits', change({ ...waiting, status: 'PENDING' }), [asked]],
    [
      'applied at the period end',
      change(waiting),
      [`02-01 Changed from ${three} to ${two}`, asked],
    ],
    [
      'taken back',
      change({ ...waiting, status: 'CANCELED', updatedAt: day('01-12') }),
      [`01-12 Change to ${two} canceled`, asked],
    ],
    [
      'replaced',
      change({ ...waiting, status: 'CANCELED', replacedBy: 'other', updatedAt: day('01-12') }),
      [`01-12 Change to ${two} replaced by another change`, asked],
    ],
    [
      'that is being paid',
      change({ status: 'PAYING' }),
      [`01-10 Change to ${two}: payment in progress`],
    ],
    [
      'whose card was declined',
      change({ status: 'FAILED', failure: { code: 'card_declined', message: 'Declined' } }),
      [`01-10 Change to ${two} failed: card declined`],
    ],
    ['that adds a discount', ofDiscount(null, 'half'), ['01-10 Discount added']],
    ['of the discount', ofDiscount('half', 'other'), ['01-10 Discount changed']],
    [
      'that will remove the discount',
      ofDiscount('half', null, { ...waiting, status: 'PENDING' }),
      ['01-10 Removal of discount scheduled for Feb 1, 2026'],
    ],
  ])('lists a change %s', (_name, one, texts) => {
    const history = historyOf(timelineOf(subscription, [], [one], day('02-15')));
    const shown = history.map(({ at, text }) => `${at.slice(5, 10)} ${text}`);
    expect(shown).toEqual([...texts, '01-01 Became active']);
  });

  test('has no past-due span for the invoice of a failed change', () => {
    const declined = invoice('01-10', {
      status: 'VOID',
      paidAt: null,
      updatedAt: day('01-12'),
      billingReason: 'SUBSCRIPTION_CHANGE',
      payments: [payment('01-10', 'FAILED')],
    });
    const failed = change({ status: 'FAILED', invoiceId: declined.id });
    const whole = [['active', '01-01', '03-01']];
    expect(spansOf(subscription, [declined], day('02-15'), [failed])).toEqual(whole);
    expect(spansOf(subscription, [declined], day('02-15'))).toHaveLength(3);
  });
});
