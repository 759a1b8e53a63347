import fc from 'fast-check';
import { itemsAfter } from '../subscription/change-side';
import type { Subscription, SubscriptionItem } from '../subscription/subscription';
import type {
  ChangeInvoice,
  SubscriptionChange,
  WantedItem,
} from '../subscription/subscription-change';
import { aChangeRequest } from '../testing/change-request';
import { anOtherItem, aPrice, aSubscription, at, day, invoiceIdOf } from '../testing/fixtures';
import { requestChange } from './apply-change';
import { type ChangeRequest, itemsAtRenewal } from './check-change';
import type { PeriodFacts, PeriodInvoice } from './period-charges';

const [start, end] = [day('06-01'), day('07-01')];
const perUnit = (id: string, amount: bigint) => aPrice({ id, type: 'PER_UNIT', amount });
const product = (id: string, amount: bigint) => ({
  ...{ productId: id, productName: id, price: perUnit(`price-${id}`, amount) },
});
const price = perUnit('price-main', 3000n);
const support = anOtherItem({ ...product('support', 1000n), id: 'item-support' });

function subscribed(others = [support]): Subscription {
  const created = aSubscription({}, { ...at(start), price, otherItems: others });
  const latestInvoice = { id: invoiceIdOf(0), periodIndex: 0 };
  return { ...created, openInvoices: [], latestInvoice };
}

/** A paid invoice that charges items, as a change finds it. */
function paid(
  invoiceId: string,
  lines: readonly { itemId: string; amount: bigint }[],
): PeriodInvoice {
  const credited = lines.map(({ itemId, amount }, index) => ({
    lineItemId: `${invoiceId}/${String(index)}`,
    itemId: amount > 0n ? itemId : null,
    ...{ priced: amount, total: amount, left: amount },
  }));
  const charges = lines.map(({ itemId, amount }, index) => ({
    ...{ itemId, lineItemId: `${invoiceId}/${String(index)}`, amount, discountAmount: 0n },
  }));
  const [main, ...others] = charges;
  return { invoiceId, status: 'PAID', lines: credited, recurring: main ?? null, others };
}

const chargeOf = ({ id: itemId, price: { amount }, quantity }: SubscriptionItem) => ({
  itemId,
  amount: amount * BigInt(quantity),
});

const factsOf = ({ items }: Subscription): PeriodFacts => ({
  periodIndex: 0,
  invoices: [paid(invoiceIdOf(0), items.map(chargeOf))],
});

const kept = { id: support.id, product: null, quantity: null };
const added: WantedItem = { id: 'item-new', product: product('new', 600n), quantity: 1 };

/** The change that the rule stores. */
function changed(
  subscription: Subscription,
  parts: Partial<ChangeRequest>,
  now = day('06-16'),
): { readonly state: Subscription; readonly change: SubscriptionChange } {
  const request = aChangeRequest({
    ...{ facts: factsOf(subscription), requirePayment: false },
    ...parts,
  });
  const { state } = requestChange(subscription, request, { now });
  const change = state.changes.waiting ?? state.changes.finished.at(-1);
  if (change === undefined) throw new Error('No change is stored');
  return { state, change };
}

const wanted = (otherItems: readonly WantedItem[], quantity: number | null = null) => ({
  ...{ product: null, quantity, discount: null },
  otherItems,
});

const linesOf = (invoice: ChangeInvoice | null) =>
  (invoice?.lines ?? []).map(({ itemId, kind, amount }) => [itemId, kind, amount]);

const [unused, remaining] = ['UNUSED_TIME', 'REMAINING_TIME'];
const mainId = '01900000-0000-7000-8000-0000000000e1';

test.each<[string, readonly WantedItem[], number | null, unknown[], bigint[]]>([
  ['an added item', [kept, added], null, [[added.id, remaining, 300n]], []],
  ['a removed item', [], null, [], [500n]],
  [
    'more of one item',
    [{ ...kept, quantity: 3 }],
    null,
    [
      [support.id, unused, -500n],
      [support.id, remaining, 1500n],
    ],
    [],
  ],
  [
    'the main item, another and a new one',
    [added],
    2,
    [
      [mainId, unused, -1500n],
      [mainId, remaining, 3000n],
      [support.id, unused, -500n],
      [added.id, remaining, 300n],
    ],
    [],
  ],
])('at half of the period, %s is charged alone', (_name, others, quantity, lines, notes) => {
  const { change } = changed(subscribed(), { wanted: wanted(others, quantity) });
  expect(linesOf(change.invoice)).toEqual(lines);
  expect(change.creditNotes.map(({ amount }) => amount)).toEqual(notes);
  expect(change.from.items.map(({ id }) => id)).toEqual([mainId, support.id]);
  expect(change.to.items.map(({ id }) => id)).toEqual([mainId, ...others.map(({ id }) => id)]);
});

test('lines of several items are put off together', () => {
  const { change } = changed(subscribed(), {
    ...{ wanted: wanted([kept, added], 2), collect: 'NEXT_INVOICE' },
  });
  expect(change.invoice).toBeNull();
  expect(change.putOff?.lines.map(({ itemId, amount }) => [itemId, amount])).toEqual([
    [mainId, -1500n],
    [mainId, 3000n],
    [added.id, 300n],
  ]);
});

test('without proration the items change, and the charges of the others stay', () => {
  const { state, change } = changed(subscribed(), { wanted: wanted([added]), proration: 'NONE' });
  expect(change).toMatchObject({ invoice: null, creditNotes: [] });
  expect(state.items.map(({ productId }) => productId).slice(1)).toEqual(['new']);
  expect(state.changes.period?.charges.map(({ gross }) => gross)).toEqual([3000n, 1000n]);
});

describe('unused time of an item that was changed without proration', () => {
  const facts = factsOf(subscribed());
  const none = { changeId: 'none', proration: 'NONE', facts } as const;
  const toSupport = {
    ...{ itemId: support.id, productId: 'support', priceId: 'price-support', amount: -500n },
    ...{ quantity: '1', description: 'Unused time on support' },
    taxedAs: { invoiceId: invoiceIdOf(0), lineItemId: `${invoiceIdOf(0)}/1` },
  };

  test('names a removed item, and takes the tax of its line back', () => {
    const { state } = changed(subscribed(), { wanted: wanted([]), ...none }, day('06-11'));
    const yearly = {
      productId: 'base',
      productName: 'base',
      price: aPrice({ id: 'price-base', amount: 100000n, billingInterval: 'YEARLY' }),
    };
    const { change } = changed(state, {
      wanted: { product: yearly, quantity: null, discount: null },
      // What an invoice says of items that the subscription does not have is in its lines alone.
      facts: { ...facts, invoices: facts.invoices.map((invoice) => ({ ...invoice, others: [] })) },
    });
    expect(change.invoice?.lines).toMatchObject([
      { kind: 'RECURRING', amount: 100000n },
      { itemId: mainId, amount: -1500n, taxedAs: { lineItemId: `${invoiceIdOf(0)}/0` } },
      toSupport,
    ]);
  });

  test('names the product and the quantity that were charged', () => {
    const more = [{ ...kept, product: product('premium', 4000n), quantity: 7 }];
    const { state } = changed(subscribed(), { wanted: wanted(more), ...none }, day('06-11'));
    const { change } = changed(state, { wanted: wanted([{ ...kept, quantity: 9 }]), facts });
    expect(change.invoice?.lines).toMatchObject([
      toSupport,
      { productId: 'premium', quantity: '9', amount: 18000n },
    ]);
  });
});

test('a new cycle charges all new items in full', () => {
  const { change } = changed(subscribed(), {
    ...{ wanted: wanted([kept, added]), proration: 'FULL_AND_RESET' },
  });
  expect(linesOf(change.invoice).map(([, kind, amount]) => [kind, amount])).toEqual([
    ['RECURRING', 3000n],
    ['RECURRING', 1000n],
    ['RECURRING', 600n],
  ]);
});

test('an upgrade of one item is resolved by the sum of all', () => {
  const less = changed(subscribed(), { wanted: wanted([added]), at: 'AUTO' });
  const more = changed(subscribed(), { wanted: wanted([added], 2), at: 'AUTO' });
  expect([less.change.at, more.change.at]).toEqual(['PERIOD_END', 'NOW']);
});

describe('a list that waits', () => {
  const waiting = changed(subscribed(), { wanted: wanted([kept, added]), at: 'PERIOD_END' }).state;

  test('keeps the seats that are added before it takes effect', () => {
    const more = { product: null, quantity: 4, discount: null };
    const request = { kind: 'UPDATE', at: 'NOW', proration: 'PRORATE', wanted: more } as const;
    expect(itemsAtRenewal(waiting, request)).toMatchObject([
      { id: mainId, quantity: 4 },
      { id: support.id, quantity: 1 },
      { id: added.id, quantity: 1 },
    ]);
  });

  test('is canceled by a change of products', () => {
    const { state } = changed(waiting, { changeId: 'newer', wanted: wanted([]) });
    expect(state.changes.waiting).toBeNull();
    expect(state.changes.finished).toContainEqual(
      expect.objectContaining({ status: 'CANCELED', replacedBy: 'newer' }),
    );
  });
});

test('items that a list does not name stay as they are', () => {
  const { items } = subscribed();
  expect(itemsAfter({ items }, { product: null, quantity: 2 })).toMatchObject([
    { id: mainId, quantity: 2 },
    { id: support.id, quantity: 1 },
  ]);
});

describe('any schedule of changes of items', () => {
  const products = ['a', 'b', 'c'];
  const step = fc.record({
    at: fc.date({ min: start, max: end, noInvalidDate: true }),
    main: fc.integer({ min: 1, max: 9 }),
    others: fc.array(fc.option(fc.integer({ min: 1, max: 9 })), { minLength: 3, maxLength: 3 }),
  });
  type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
  const prices = fc.array(fc.bigInt({ min: 0n, max: 100_000n }), { minLength: 3, maxLength: 3 });

  const wantedBy = ({ main, others }: Step, amounts: readonly bigint[]) =>
    wanted(
      products.flatMap((id, index) => {
        const quantity = others[index] ?? null;
        if (quantity === null) return [];
        return [{ id: `item-${id}`, product: product(id, amounts[index] ?? 0n), quantity }];
      }),
      main,
    );

  /** Credits of notes lower what is left of the lines of their invoices. */
  function credited(invoices: readonly PeriodInvoice[], change: SubscriptionChange) {
    const credits = change.creditNotes.flatMap(({ lines }) => lines);
    return invoices.map((invoice) => ({
      ...invoice,
      lines: invoice.lines.map((line) => {
        const given = credits.filter(({ lineItemId }) => lineItemId === line.lineItemId);
        return { ...line, left: given.reduce((left, { priced }) => left - priced, line.left) };
      }),
    }));
  }

  test('bills each item for its time, each line within one unit', () => {
    fc.assert(
      fc.property(prices, fc.array(step, { maxLength: 6 }), (amounts, steps) => {
        let state = subscribed([]);
        let invoices = factsOf(state).invoices;
        let billed = 3000n;
        let lines = 1n;
        // Price times milliseconds.
        let owed = 0n;
        let since = start.getTime();
        const passed = (until: number) => {
          const each = state.items.map((item) => chargeOf(item).amount * BigInt(until - since));
          owed = each.reduce((sum, one) => sum + one, owed);
          since = until;
        };
        const ordered = steps.toSorted((a, b) => a.at.getTime() - b.at.getTime());
        for (const [index, one] of ordered.entries()) {
          const request = aChangeRequest({
            ...{ changeId: `change-${String(index)}`, invoiceId: `of-${String(index)}` },
            ...{ facts: { periodIndex: 0, invoices }, wanted: wantedBy(one, amounts) },
            requirePayment: false,
          });
          const same = itemsAfter(state, request.wanted);
          if (JSON.stringify(same, textOf) === JSON.stringify(state.items, textOf)) continue;
          passed(one.at.getTime());
          const next = requestChange(state, request, { now: one.at });
          const change = next.state.changes.finished.at(-1);
          if (change === undefined) throw new Error('No change is stored');
          expect(change.from.items).toEqual(state.items);
          const made = change.invoice?.lines ?? [];
          const total = made.reduce((sum, { amount }) => sum + amount, 0n);
          expect(total).toBeGreaterThanOrEqual(0n);
          billed += total;
          for (const note of change.creditNotes) billed -= note.amount;
          lines += BigInt(change.from.items.length + change.to.items.length);
          invoices = credited(invoices, change);
          if (change.invoice !== null)
            invoices = [paid(change.invoice.invoiceId, made), ...invoices];
          const latestInvoice = { id: invoices[0]?.invoiceId ?? '', periodIndex: 0 };
          state = { ...next.state, openInvoices: [], latestInvoice };
        }
        passed(end.getTime());
        const period = BigInt(end.getTime() - start.getTime());
        const difference = billed * period - owed;
        const magnitude = difference < 0n ? -difference : difference;
        expect(magnitude).toBeLessThanOrEqual(lines * period);
      }),
    );
  });

  const textOf = (_key: string, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value;
});
