import fc from 'fast-check';
import { type Invoice, pay, totalOf, voidInvoice } from './invoice';
import { release, reserve } from './reservation';
import { aDraft, aLineItem, anOpened, asInvoice } from '../testing/invoice';

const change = { changeId: 'change', round: 1 };
const line = (id: string, amount: bigint, discountAmount = 0n) =>
  aLineItem({ id, amount, discountAmount });
const opened: Invoice = {
  ...anOpened(),
  lineItems: [line('a', 3000n, 1000n), line('b', 1000n), line('c', -500n)],
  discounts: [{ discountId: 'discount', name: 'Spring', amount: 1000n }],
};
const reserved = (invoice: Invoice, credits: [string, bigint][], round = 1) =>
  asInvoice(
    reserve(invoice, {
      ...{ changeId: 'change', round },
      credits: credits.map(([lineItemId, amount]) => ({ lineItemId, amount })),
    }).state,
  );

test.each<[string, [string, bigint][], bigint[]]>([
  ['a part of a line', [['a', 500n]], [500n]],
  ['at most what is left of a discounted line', [['a', 2500n]], [2000n]],
  ['at most the total of the invoice', [['a', 2000n], ['b', 1000n]], [2000n, 500n]], // prettier-ignore
  ['nothing of a negative line', [['c', 100n]], [0n]],
])('a reservation holds %s', (_what, credits, amounts) => {
  const { reservation } = reserved(opened, credits);
  expect(reservation).toMatchObject(change);
  expect(reservation?.lines.map(({ amount }) => amount)).toEqual(amounts);
});

test('a repeat of a reservation changes nothing', () => {
  const once = reserved(opened, [['a', 500n]]);
  expect(reserved(once, [['a', 900n]])).toBe(once);
});

test.each([
  ['another change', { ...change, changeId: 'other' }],
  ['another round', { ...change, round: 2 }],
])('an invoice with a reservation makes %s wait', (_what, other) => {
  const once = reserved(opened, [['a', 500n]]);
  expect(() => reserve(once, { ...other, credits: [] })).toThrow(
    expect.objectContaining({ kind: 'unavailable', reason: 'RESERVATION_IN_PROGRESS' }),
  );
  expect(release(once, other).state).toBe(once);
});

test('a released reservation leaves room for the next one', () => {
  const free = asInvoice(release(reserved(opened, [['a', 500n]]), change).state);
  expect(free.reservation).toBeUndefined();
  expect(reserved(free, [['b', 1n]], 2).reservation).toMatchObject({ round: 2 });
});

const now = new Date('2026-01-02T00:00:00.000Z');

test.each([
  ['a draft', aDraft()],
  ['a void invoice', { ...opened, status: 'VOID' } as const],
  ['an uncollectible invoice', { ...opened, status: 'UNCOLLECTIBLE' } as const],
])('%s cannot be credited', (_what, invoice) => {
  expect(() => reserved(invoice, [['a', 1n]])).toThrow(
    expect.objectContaining({ reason: 'INVOICE_CANNOT_BE_CREDITED' }),
  );
});

test('a paid invoice keeps its reservation, and a void one loses it', () => {
  const once = reserved(opened, [['a', 500n]]);
  expect(pay(once, now).reservation).toMatchObject(change);
  const { state } = voidInvoice(once, { number: undefined, now });
  expect(asInvoice(state).reservation).toBeUndefined();
});

test('a line that the invoice does not have is refused', () => {
  expect(() => reserved(opened, [['x', 1n]])).toThrow(
    expect.objectContaining({ fields: { credits: ['Line item not found'] } }),
  );
});

test('a reservation is never more than what is left of any line or of the total', () => {
  const amount = fc.bigInt({ min: 0n, max: 5_000n });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(amount, amount, fc.boolean()), { minLength: 1, maxLength: 6 }),
      fc.array(amount, { minLength: 6, maxLength: 6 }),
      (lines, asked) => {
        const lineItems = lines.map(([gross, off, isNegative], index) =>
          isNegative
            ? line(String(index), -gross)
            : line(String(index), gross, off < gross ? off : gross),
        );
        const off = lineItems.reduce((sum, { discountAmount }) => sum + discountAmount, 0n);
        const discounts = [{ discountId: 'd', name: 'd', amount: off }];
        const invoice = { ...opened, lineItems, discounts };
        fc.pre(totalOf(invoice) >= 0n);
        const credits = lineItems.map(({ id }, index): [string, bigint] => [
          id,
          asked[index] ?? 0n,
        ]);
        const held = reserved(invoice, credits).reservation?.lines ?? [];
        for (const [index, { amount: held1 }] of held.entries()) {
          const { amount: gross = 0n, discountAmount = 0n } = lineItems[index] ?? {};
          const left = gross > discountAmount ? gross - discountAmount : 0n;
          expect(held1 >= 0n && held1 <= left && held1 <= (asked[index] ?? 0n)).toBe(true);
        }
        const sum = held.reduce((all, { amount: one }) => all + one, 0n);
        expect(sum <= totalOf(invoice)).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});
