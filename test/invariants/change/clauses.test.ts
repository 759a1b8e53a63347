import type { ChangePicture, InvoicePicture, LinePicture, Picture } from '../picture/picture';
import { examineAll, findingsOf } from '../report';
import {
  aChange,
  aCreditNote,
  anInvoice,
  aSubscription,
  march,
  recurringLine,
  whole,
} from '../testing';

// Each clause of the invariants about changes, with damage that this clause alone finds.

const [january, february] = ['2026-01-31T00:00:00.000Z', '2026-02-28T00:00:00.000Z'];
const april = '2026-04-30T00:00:00.000Z';
const middle = '2026-03-15T12:00:00.000Z';
const dayMs = 86_400_000;

const item = { itemId: 'item-1', productId: 'product-1', priceId: 'price-1' };
const charge: LinePicture = {
  ...{ ...recurringLine, ...item, id: 'charge' },
  ...{ amount: 1000, discountAmount: 0, pricedAmount: 1000, total: 1000 },
  ...{ periodStart: february, periodEnd: march },
};
/** Half of the charge. */
const unused: LinePicture = {
  ...charge,
  ...{ id: 'unused', kind: 'UNUSED_TIME', periodStart: middle },
  ...{ amount: -500, pricedAmount: -500, total: -500 },
  details: {
    ...{ exactAmount: '-500', tiers: [], creditsUsed: [] },
    proration: { numerator: 15.5 * dayMs, denominator: 31 * dayMs, of: '1000' },
  },
};
const remaining: LinePicture = {
  ...{ ...charge, id: 'remaining', kind: 'REMAINING_TIME', periodStart: middle },
  ...{ amount: 1500, pricedAmount: 1500, total: 1500 },
};

const side = (priceId: string, currentPeriodStart = february) => ({
  items: [{ productId: 'product-1', priceId, quantity: 2 }],
  discountId: 'discount-1',
  currentPeriodStart,
});

function billed(lineItems: readonly LinePicture[], parts: Partial<InvoicePicture>): InvoicePicture {
  const total = lineItems.reduce((sum, line) => sum + line.total, 0);
  return anInvoice({
    ...{ lineItems, total, subtotal: total, discountAmount: 0, discounts: [], payments: [] },
    ...{ amountPaid: total, amountCredited: 0, creditNoteIds: [] },
    ...parts,
  });
}

const ofPeriod = billed([charge], {
  ...{ id: 'of-period', number: 'INV-000001', billingReason: 'SUBSCRIPTION_CREATE' },
  ...{ periodStart: february, periodEnd: march },
});
const ofChange = billed([unused, remaining], {
  ...{ id: 'of-change', number: 'INV-000002', billingReason: 'SUBSCRIPTION_CHANGE' },
  ...{ periodStart: middle, periodEnd: march, createdAt: middle },
});
const change = aChange({
  ...{ from: side('price-1'), to: side('price-2'), invoiceId: 'of-change', effectiveAt: middle },
});

/** A subscription with one change in the middle of its first period. */
const healthy: Picture = {
  ...whole,
  ...{ now: new Date('2026-03-20T00:00:00Z'), invoices: [ofPeriod, ofChange], creditNotes: [] },
  ...{ changes: [change], refunds: [], usageEvents: [], reserved: [] },
  subscriptions: [
    aSubscription({ startAt: february, createdAt: february, items: side('price-2').items }),
  ],
};

const examined = new Set(['I14', 'I15', 'I16']);
const found = (picture: Picture) =>
  findingsOf(examineAll(picture).filter(({ id }) => examined.has(id)));

const withChange = (parts: Partial<ChangePicture>): Partial<Picture> => ({
  changes: [{ ...change, ...parts }],
});
const withLines = (...lines: LinePicture[]): Partial<Picture> => ({
  invoices: [ofPeriod, { ...ofChange, lineItems: lines }],
});
const proratedBy = (parts: object): LinePicture => {
  const details = unused.details ?? { exactAmount: '0', tiers: [], creditsUsed: [] };
  const proration = { ...{ numerator: 0, denominator: 1, of: '0' }, ...details.proration };
  return { ...unused, details: { ...details, proration: { ...proration, ...parts } } };
};
const paused = (parts: Partial<ChangePicture>): ChangePicture => ({
  ...change,
  ...{ id: 'pause', kind: 'PAUSE', invoiceId: null, from: side('price-2'), to: side('price-2') },
  ...{ effectiveAt: march, createdAt: march, ...parts },
});
const next = billed([{ ...charge, priceId: 'price-2', periodStart: april, periodEnd: null }], {
  ...{ id: 'next', number: 'INV-000003', billingReason: 'SUBSCRIPTION_CYCLE' },
  ...{ periodStart: april, periodEnd: '2026-05-31T00:00:00.000Z', createdAt: april },
});
const resumed = { ...next, billingReason: 'SUBSCRIPTION_CHANGE' };
const inMay = (...changes: ChangePicture[]): Partial<Picture> => ({
  ...{ changes: [change, ...changes], now: new Date('2026-05-02T00:00:00Z') },
  subscriptions: [
    aSubscription({
      ...{ startAt: february, createdAt: february, items: side('price-2').items },
      ...{ currentPeriodStart: april, currentPeriodEnd: '2026-05-31T00:00:00.000Z' },
    }),
  ],
});
const resume = paused({
  ...{ id: 'resume', kind: 'RESUME', invoiceId: 'next', effectiveAt: april, createdAt: april },
});

test('a healthy life has no findings', () => {
  expect(found(healthy)).toEqual([]);
  const afterPause = { invoices: [ofPeriod, ofChange, resumed], ...inMay(paused({}), resume) };
  expect(found({ ...healthy, ...afterPause })).toEqual([]);
});

test('changes of one instant have no findings in any order', () => {
  const second = { ...change, id: 'second', invoiceId: null, from: side('price-2') };
  const both = [change, { ...second, to: side('price-3') }];
  const life = { startAt: february, createdAt: february, items: side('price-3').items };
  const subscriptions = [aSubscription(life)];
  for (const changes of [both, both.toReversed()]) {
    expect(found({ ...healthy, changes, subscriptions })).toEqual([]);
  }
});

test.each<[finding: string, damage: Partial<Picture>]>([
  [
    'I14 subscription subscription-1: nothing leads from the period',
    { invoices: [ofPeriod, ofChange, next], ...inMay() },
  ],
  [
    'I14 subscription subscription-1: nothing leads from the period',
    { invoices: [ofPeriod, ofChange, resumed], ...inMay(resume) },
  ],
  [
    'I14 subscription subscription-1: its last period is billed until',
    { invoices: [{ ...ofPeriod, periodEnd: april }, ofChange] },
  ],
  [
    'I14 subscription subscription-1: PAUSED without a change',
    {
      subscriptions: [
        aSubscription({ startAt: february, phase: 'PAUSED', items: side('price-2').items }),
      ],
    },
  ],
  [
    'I14 invoice of-period: does not charge each item of its period once',
    { invoices: [{ ...ofPeriod, lineItems: [{ ...charge, priceId: 'price-2' }] }, ofChange] },
  ],
  [
    'I14 invoice of-period: does not charge each item of its period once',
    { invoices: [{ ...ofPeriod, lineItems: [charge, charge] }, ofChange] },
  ],
  [
    'I14 subscription subscription-1: its changes do not lead to its items',
    withChange({ to: side('price-3') }),
  ],
  [
    'I14 subscription subscription-1: its changes do not lead to its items',
    {
      changes: [
        { ...change, effectiveAt: april },
        { ...change, id: 'second', from: side('price-3'), to: side('price-3'), invoiceId: null },
      ],
    },
  ],
  [
    'I15 invoice of-period: more is credited than its total',
    { creditNotes: [{ ...aCreditNote(1001), invoiceId: 'of-period', reason: 'OTHER' }] },
  ],
  [
    'I15 invoice of-period: more is credited and reserved than its total',
    { reserved: [{ invoiceId: 'of-period', isReserved: false, left: -1 }] },
  ],
  [
    'I15 subscription subscription-1: unused time of the charge from 2026-02-28T00:00:00.000Z is of no charge',
    withLines(proratedBy({ of: '1001' }), remaining),
  ],
  [
    'I15 subscription subscription-1: unused time of the charge from 2026-02-28T00:00:00.000Z exceeds it',
    withLines(unused, { ...unused, amount: -501, pricedAmount: -501 }, remaining),
  ],
  [
    'I15 subscription subscription-1: unused time at 2026-03-15T12:00:00.000Z has lapsed',
    withLines({ ...unused, amount: -499, pricedAmount: -499 }, remaining),
  ],
  [
    'I16 change change-1: PENDING past its time',
    withChange({ status: 'PENDING', invoiceId: null }),
  ],
  [
    'I16 change change-1: PENDING after the end',
    {
      ...withChange({ status: 'PENDING', invoiceId: null, effectiveAt: april }),
      subscriptions: [
        aSubscription({ startAt: february, status: 'CANCELED', endedAt: middle, phase: 'ENDED' }),
      ],
    },
  ],
  [
    'I16 change change-1: PAYING with an invoice that is PAID',
    withChange({ status: 'PAYING', effectiveAt: middle }),
  ],
  ['I16 change change-1: APPLIED with a failure', withChange({ failure: { code: 'x' } })],
  [
    'I16 change change-1: FAILED with credit notes',
    withChange({ status: 'FAILED', creditNoteIds: ['note-1'] }),
  ],
  [
    'I16 change change-1: its credit notes are not issued',
    withChange({ creditNoteIds: ['note-9'] }),
  ],
  [
    'I16 invoice of-change: a reservation has outlived its change',
    { reserved: [{ invoiceId: 'of-change', isReserved: true, left: 1 }] },
  ],
])('%s', (finding, damage) => {
  expect(found({ ...healthy, ...damage }).join('\n')).toContain(finding);
});

test('a change that is being paid may hold a reservation', () => {
  const open = { ...ofChange, status: 'OPEN' } as const;
  const paying = { ...healthy, ...withChange({ status: 'PAYING' }), invoices: [ofPeriod, open] };
  const reserved = [{ invoiceId: 'of-period', isReserved: true, left: 1 }];
  const held = found({ ...paying, reserved }).filter((one) => one.includes('reservation'));
  expect(held).toEqual([]);
});

test('what a note by hand has taken may lapse', () => {
  const less = withLines({ ...unused, amount: -499, pricedAmount: -499 }, remaining);
  const note = { ...aCreditNote(1), invoiceId: 'of-period', reason: 'OTHER' };
  expect(found({ ...healthy, ...less, creditNotes: [note] })).toEqual([]);
});

describe('a second invoice of whole periods from one instant', () => {
  const again = billed([{ ...charge, id: 'again', priceId: 'price-2' }], {
    ...{ id: 'again', number: 'INV-000002', billingReason: 'SUBSCRIPTION_CHANGE' },
    ...{ periodStart: february, periodEnd: march, createdAt: february },
  });
  const foundWith = (parts: Partial<ChangePicture>, invoices = [ofPeriod, again]) => {
    const beginning = { ...change, invoiceId: 'again', effectiveAt: february, ...parts };
    const verdicts = examineAll({ ...healthy, invoices, changes: [beginning] });
    return findingsOf(verdicts.filter(({ id }) => id === 'I2' || id === 'I61'));
  };

  test('is of a change that begins a cycle at the start of its period', () => {
    expect(foundWith({})).toEqual([]);
    expect(foundWith({}, [again, ofPeriod])).toEqual([]);
  });

  test.each<[what: string, change: Partial<ChangePicture>]>([
    ['a change that has failed begins none', { status: 'FAILED' }],
    ['time begins the next one at its end', { from: side('price-1', january) }],
    ['the change has another invoice', { invoiceId: 'other' }],
  ])('is found where %s', (_what, parts) => {
    expect(foundWith(parts)).toEqual([expect.stringContaining('billed by 2 invoices')]);
  });
});
