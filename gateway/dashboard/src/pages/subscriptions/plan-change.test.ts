import { ApiProblem, fieldProblem } from '../../api/problem';
import { FormValues, problemsOf } from '../../parts/form/form-values';
import { itemsOf } from '../../resources/purchase/items';
import {
  dueText,
  monthlyText,
  nextTitle,
  type Preview,
  staleText,
  sumRows,
  usageText,
  withoutNesting,
} from '../../resources/purchase/preview';
import {
  confirmLabel,
  effectText,
  endText,
  itemsText,
  outcomeText,
  type SubscriptionChange,
  wantedChange,
  wantedPause,
} from './plan-change';

const [now, end] = ['2026-06-11T00:00:00.000Z', '2026-07-01T00:00:00.000Z'];

const invoice = {
  billingReason: 'SUBSCRIPTION_CHANGE',
  currency: 'USD',
  periodStart: now,
  periodEnd: end,
  subtotal: 13333,
  discountAmount: 0,
  tax: 0,
  taxes: [],
  total: 13333,
  balanceApplied: 0,
  amountDue: 13333,
  discounts: [],
  lineItems: [
    { description: 'Unused time on Basic', quantity: '1', amount: -6667 },
    { description: 'Remaining time on Pro', quantity: '12', amount: 20000 },
  ],
} as unknown as NonNullable<Preview['invoice']>;

const upgrade: Preview = {
  kind: 'CHANGE',
  at: now,
  validUntil: now,
  token: 'token',
  effectiveAt: now,
  invoice,
  linesPutOff: [],
  creditNotes: [],
  dueNow: 13333,
  usageInvoice: null,
  nextInvoice: { ...invoice, periodStart: end, total: 30000, estimated: false },
  monthlyAmountBefore: 10000,
  monthlyAmountAfter: 30000,
};
const downgrade: Preview = { ...upgrade, invoice: null, dueNow: 0, effectiveAt: end };

describe('the preview of a change', () => {
  test('shows an invoice of usage that follows', () => {
    const usageInvoice = { ...invoice, total: 8000, estimated: true };
    expect(usageText({ ...upgrade, usageInvoice })).toBe(
      'Usage so far comes on an invoice of its own: $80.00.',
    );
    expect(usageText(upgrade)).toBeUndefined();
    expect(usageText({ ...upgrade, kind: 'CANCEL', usageInvoice })).toBeUndefined();
  });

  test.each([
    ['an upgrade', upgrade, '$133.33 is charged today.', 'Charge $133.33 and change'],
    ['a downgrade at the period end', downgrade, 'Nothing is due today.', 'Schedule change'],
    [
      'a change that costs nothing',
      { ...downgrade, effectiveAt: now },
      'Nothing is due today.',
      'Change now',
    ],
    [
      'an upgrade that is sent as an invoice',
      { ...upgrade, dueNow: 0 },
      'An invoice of $133.33 is sent today.',
      'Change now',
    ],
    [
      'an upgrade that the balance pays',
      {
        ...upgrade,
        dueNow: 0,
        invoice: { ...invoice, balanceApplied: 13333, amountDue: 0 },
      },
      'Nothing is charged today: the balance pays the invoice.',
      'Change now',
    ],
    [
      'an upgrade that the next invoice bills',
      {
        ...downgrade,
        effectiveAt: now,
        linesPutOff: [
          { amount: -6667, discountAmount: 0 },
          { amount: 20000, discountAmount: 0 },
        ] as unknown as Preview['linesPutOff'],
      },
      'Nothing is due today. $133.33 is added to the next invoice.',
      'Change now',
    ],
    [
      'a downgrade that gives back money',
      {
        ...downgrade,
        effectiveAt: now,
        creditNotes: [{ invoiceId: 'one', amount: 9000, settledBy: 'BALANCE' as const }],
      },
      'Nothing is due today. $90.00 is credited to the balance.',
      'Change now',
    ],
    [
      'an upgrade while an invoice is open',
      {
        ...upgrade,
        dueNow: 0,
        creditNotes: [
          { invoiceId: 'two', amount: 4000, settledBy: 'AMOUNT_DUE' as const },
          { invoiceId: 'one', amount: 1000, settledBy: 'AMOUNT_DUE' as const },
        ],
      },
      'An invoice of $133.33 is sent today. $50.00 is taken off open invoices.',
      'Change now',
    ],
  ])('of %s says what is due today', (_name, preview, due, confirm) => {
    expect([
      dueText(preview, 'USD'),
      confirmLabel(preview, { currency: 'USD', kind: 'UPDATE' }),
    ]).toEqual([due, confirm]);
  });

  test('says when the change takes effect', () => {
    expect(effectText(upgrade, { at: 'AUTO' })).toBe('The change takes effect now.');
    expect(effectText(downgrade, { at: 'AUTO' })).toBe(
      'The change takes effect on Jul 1, 2026. It can be taken back until then.',
    );
    expect(effectText(downgrade, { kind: 'PAUSE', at: 'PERIOD_END' })).toBe(
      'The pause begins on Jul 1, 2026. It can be taken back until then. It lasts until you resume the subscription.',
    );
    expect(effectText(upgrade, { kind: 'RESUME' })).toBe('The subscription resumes now.');
  });

  test('says which period start follows the chosen time, and when a pause ends', () => {
    const at = '2026-06-20T12:00:00Z';
    expect(effectText(downgrade, { at })).toBe(
      'The change takes effect on 2026-07-01 00:00:00 UTC, the first period start at or after 2026-06-20 12:00:00 UTC. It can be taken back until then.',
    );
    expect(effectText(upgrade, { at })).toBe(
      'The change takes effect now, because no period is running.',
    );
    const pause = { kind: 'PAUSE', at: 'NOW', resumeAt: '2026-08-10T00:00:00Z' } as const;
    expect(effectText(upgrade, pause)).toBe(
      'The pause begins now. It ends on 2026-08-10 00:00:00 UTC.',
    );
    expect(effectText(downgrade, { ...pause, at })).toBe(
      'The pause begins on 2026-07-01 00:00:00 UTC, the first period start at or after 2026-06-20 12:00:00 UTC. It can be taken back until then. It ends on 2026-08-10 00:00:00 UTC.',
    );
    expect(effectText(upgrade, { kind: 'PAUSE', at: 'NOW' })).toBe(
      'The pause begins now. It lasts until you resume the subscription.',
    );
  });

  test('names the amounts a month of a change that waits', () => {
    expect(monthlyText(downgrade, 'USD')).toBe('Amount a month: $100.00 → $300.00.');
    expect(monthlyText(upgrade, 'USD')).toBeUndefined();
    expect(monthlyText({ ...downgrade, kind: 'CANCEL' }, 'USD')).toBeUndefined();
    expect(monthlyText({ ...downgrade, monthlyAmountAfter: 10000 }, 'USD')).toBeUndefined();
  });

  test('names the date of the next invoice, and that it includes usage so far', () => {
    expect(nextTitle(upgrade)).toBe('Next invoice on Jul 1, 2026');
    const estimated = { ...upgrade.nextInvoice!, estimated: true };
    expect(nextTitle({ nextInvoice: estimated })).toBe(
      'Next invoice on Jul 1, 2026, with usage so far',
    );
    expect(nextTitle({ nextInvoice: null })).toBeUndefined();
  });

  test('says what the last invoice of an end comes to', () => {
    const { at, nextInvoice } = upgrade;
    const ended = { at, effectiveAt: at };
    const ends =
      'The subscription ends now, which can’t be undone. Unpaid invoices of this period are voided.';
    expect(endText({ ...ended, usageInvoice: null })).toBe(ends);
    const usageInvoice = { ...nextInvoice!, total: 100, currency: 'EUR', estimated: true };
    expect(endText({ ...ended, usageInvoice })).toBe(
      `${ends} The last invoice includes usage so far and comes to €1.00.`,
    );
  });
});

describe('the sums of a preview', () => {
  const rowsOf = (one: NonNullable<Preview['invoice']>) =>
    sumRows(one).map(({ name, text }) => `${name} ${text}`);
  const lines = ['Unused time on Basic −$66.67', 'Remaining time on Pro, 12 units $200.00'];

  test('are the lines and the total', () => {
    expect(rowsOf(invoice)).toEqual([...lines, 'Total $133.33']);
    expect(sumRows(invoice).filter(({ isTotal }) => isTotal)).toHaveLength(1);
  });

  test('have discounts, tax, and what the balance pays', () => {
    const taxed = {
      ...invoice,
      discounts: [{ discountId: 'one', name: 'Welcome', amount: 1333 }],
      discountAmount: 1333,
      tax: 2280,
      total: 14280,
      balanceApplied: 4280,
      amountDue: 10000,
    };
    expect(rowsOf(taxed)).toEqual([
      ...lines,
      'Welcome −$13.33',
      'Tax $22.80',
      'Total $142.80',
      'Paid from the balance −$42.80',
    ]);
    expect(rowsOf({ ...taxed, total: 12000 })).toContain('Tax (included) $22.80');
  });
});

const problem = (message: string, code: string, fields = {}) =>
  new ApiProblem(message, { status: 409, code, fields, requestId: undefined });

test('a stale preview names its reasons in words', () => {
  const stale = problem('Preview is stale: subscription, balance', 'preview_stale');
  expect(staleText(stale)).toBe(
    'The price has changed since you looked: the subscription has changed, the balance of the customer is lower.',
  );
  expect(staleText(problem('Nothing to change', 'conflict'))).toBeUndefined();
  expect(staleText(new Error('Preview is stale: tax'))).toBeUndefined();
});

test('problems of the previewed change belong to its fields', () => {
  const nested = problem('Please fix the fields below', 'invalid_request', {
    change: ['quantity: Must be at least 1', 'Required'],
  });
  expect((withoutNesting(nested) as ApiProblem).details.fields).toEqual({
    quantity: ['Must be at least 1'],
    change: ['Required'],
  });
  const other = problem('Nothing to change', 'conflict');
  expect(withoutNesting(other)).toBe(other);
});

test('a form asks for product, quantity, time and proration', () => {
  const data = new FormData();
  data.set('productId', 'pro');
  data.set('when', 'AUTO');
  data.set('quantity', '12');
  data.set('proration', 'NONE');
  const wanted = { productId: 'pro', quantity: 12, at: 'AUTO', proration: 'NONE' };
  const from = (discountId: string | null) => wantedChange(new FormValues(data), { discountId });
  expect(from(null)).toEqual(wanted);
  expect(from('half')).toEqual({ ...wanted, discountId: null });
  data.set('discountId', 'half');
  expect(from('half')).toEqual(wanted);
  expect(from(null)).toEqual({ ...wanted, discountId: 'half' });
  data.set('proration', 'NEXT_INVOICE');
  expect(from('half')).toEqual({ ...wanted, proration: 'PRORATE', collect: 'NEXT_INVOICE' });
  data.set('quantity', 'twelve');
  expect(from(null)).toMatchObject({ quantity: 'twelve' });
  data.set('quantity', '');
  expect(from(null)).toMatchObject({ quantity: 1 });
  data.set('when', 'TIME');
  data.set('at', '2026-08-15T00:00');
  expect(from(null).at).toBe('2026-08-15T00:00:00Z');
});

test.each([
  ['APPLIED', 'Plan changed'],
  ['PENDING', 'Plan changes on Jul 1, 2026'],
  ['PAYING', 'The payment of the change is in progress'],
  ['FAILED', undefined],
] as const)('a change that is %s is reported', (status, text) => {
  const change = { kind: 'UPDATE', at: 'PERIOD_END', effectiveAt: end, resumeAt: null } as const;
  expect(outcomeText({ ...change, status })).toBe(text);
});

test('all times of a change with a typed time are shown in UTC', () => {
  const at = '2026-06-20T12:00:00Z';
  const inUtc = 'on 2026-07-01 00:00:00 UTC';
  const pause = { kind: 'PAUSE', status: 'PENDING', effectiveAt: end } as const;
  expect(outcomeText({ ...pause, at, resumeAt: null })).toBe(`Subscription pauses ${inUtc}`);
  const resumed = { at: 'PERIOD_END', resumeAt: '2026-08-10T00:00:00Z' };
  expect(outcomeText({ ...pause, ...resumed })).toBe(`Subscription pauses ${inUtc}`);
  expect(nextTitle(upgrade, { at })).toBe(`Next invoice ${inUtc}`);
  expect(effectText(downgrade, { kind: 'PAUSE', ...resumed })).toBe(
    `The pause begins ${inUtc}. It can be taken back until then. It ends on 2026-08-10 00:00:00 UTC.`,
  );
});

test('a form for several items asks for the whole list', () => {
  const data = new FormData();
  data.set('items.0.productId', 'pro');
  data.set('items.0.quantity', '12');
  data.set('items.1.productId', 'support');
  data.set('items.1.quantity', '');
  data.set('when', 'NOW');
  data.set('proration', 'PRORATE');
  const items = [
    { productId: 'pro', quantity: 12 },
    { productId: 'support', quantity: 1 },
  ];
  const wanted = wantedChange(new FormValues(data), { discountId: null });
  expect(wanted).toEqual({ items, at: 'NOW', proration: 'PRORATE' });
  expect(itemsOf(wanted)).toEqual(items);
  const [one] = items;
  const single = { productId: 'pro', quantity: 12, at: 'NOW', proration: 'PRORATE' };
  expect(itemsOf(single)).toMatchObject([one ?? {}]);
});

test('a form refuses an added item without a product', () => {
  const data = new FormData();
  data.set('items.0.productId', 'pro');
  data.set('items.0.quantity', '12');
  data.set('items.1.productId', '');
  data.set('items.1.quantity', '1');
  const refused = () => wantedChange(new FormValues(data), { discountId: null });
  expect(refused).toThrow(fieldProblem('items.1.productId', 'Required'));
  data.set('items.1.productId', 'support');
  expect(refused).not.toThrow();
});

test('a problem of the previewed change belongs to the field of its item', () => {
  const nested = problem('Please fix the fields below', 'invalid_request', {
    change: ['items: 1.productId: Product is there twice', 'items.0.quantity: Must be a number'],
  });
  const { fields } = (withoutNesting(nested) as ApiProblem).details;
  expect(problemsOf(fields, 'items.1.productId')).toEqual(['Product is there twice']);
  expect(problemsOf(fields, 'items.0.quantity')).toEqual(['Must be a number']);
});

test('a form asks for a pause, with or without its end', () => {
  const data = new FormData();
  data.set('when', 'NOW');
  data.set('proration', 'PRORATE');
  data.set('resumeAt', '');
  const pause = { kind: 'PAUSE', at: 'NOW', proration: 'PRORATE' };
  expect(wantedPause(new FormValues(data))).toEqual(pause);
  data.set('resumeAt', '2026-08-10T00:00');
  expect(wantedPause(new FormValues(data))).toEqual({ ...pause, resumeAt: '2026-08-10T00:00:00Z' });
});

test('a pause and its end are confirmed and reported by their names', () => {
  const pause = { currency: 'USD', kind: 'PAUSE' } as const;
  expect(confirmLabel(downgrade, pause)).toBe('Schedule pause');
  expect(confirmLabel({ ...downgrade, effectiveAt: now }, pause)).toBe('Pause now');
  const resume = { currency: 'USD', kind: 'RESUME' } as const;
  expect(confirmLabel(upgrade, resume)).toBe('Charge $133.33 and resume');
  const times = { at: 'NOW', effectiveAt: now, resumeAt: null };
  const applied = { ...times, status: 'APPLIED' } as const;
  expect(outcomeText({ ...applied, kind: 'PAUSE' })).toBe('Subscription paused');
  expect(outcomeText({ ...applied, kind: 'RESUME' })).toBe('Subscription resumed');
});

test('items are shown with quantity and price', () => {
  const recurring = { currency: 'USD', billingInterval: 'MONTHLY', intervalCount: 1, tiers: null };
  const items = [
    { quantity: 3, price: { ...recurring, type: 'PER_UNIT', amount: 1900 } },
    { quantity: 1, price: { ...recurring, type: 'FLAT', amount: 500 } },
    { quantity: 1, price: null, priceId: 'gone' },
  ] as unknown as SubscriptionChange['to']['items'];
  expect(itemsText(items)).toBe('3 × $19.00 / unit / month, $5.00 / month, gone');
});
