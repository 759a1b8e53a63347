import fc from 'fast-check';
import { Decimal } from '../decimal';
import type { DiscountTerms } from '../discounting';
import { billChange, creditAtNewCycle, type CreditableInvoice, placeCredits } from './change-bill';
import {
  chargesAfter,
  type ItemCharge,
  prorate,
  type ProratedChange,
  unusedTime,
} from './prorated-change';

const june = { from: day('2026-06-01'), to: day('2026-07-01') };
const percent = (value: string): DiscountTerms => ({
  type: 'PERCENTAGE',
  value,
  currency: null,
  productIds: [],
});
const paid = (room: bigint, invoiceId = 'first'): CreditableInvoice => ({
  invoiceId,
  status: 'PAID',
  room,
});

function day(text: string): number {
  return Date.parse(text.includes('T') ? text : `${text}T00:00:00Z`);
}

function charged(net: bigint, { gross = net, from = june.from, id = 'a' } = {}): ItemCharge {
  return { itemId: id, productId: id, from, gross, net };
}

function item(exactAmount: string, id = 'a') {
  return { itemId: id, productId: id, exactAmount: Decimal.parse(exactAmount) };
}

function change(at: string, parts: Partial<ProratedChange>): ProratedChange {
  return { period: june, at: day(at), replaced: [], added: [], currency: 'USD', ...parts };
}

/** Lines of the bill as [unused, remaining before discount, discount], and its total. */
function billOf(parts: ProratedChange, invoices: readonly CreditableInvoice[]) {
  const bill = billChange(prorate(parts), { newestFirst: invoices });
  const unused = (bill.invoice?.unused ?? []).map(({ amount }) => -amount);
  const gross = (bill.invoice?.remaining ?? []).map((line) => line.gross);
  const net = (bill.invoice?.remaining ?? []).map((line) => line.net);
  const discount = sum(gross) - sum(net);
  const notes = bill.creditNotes.map(({ invoiceId, amount }) => `${invoiceId} ${String(amount)}`);
  return { unused, gross, discount, total: sum(net) + sum(unused), notes };
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((left, right) => left + right, 0n);
}

describe('a change within a period', () => {
  test.each<[string, ProratedChange, bigint, Partial<ReturnType<typeof billOf>>]>([
    [
      'to a higher price in the middle',
      change('2026-06-16', { replaced: [charged(10000n)], added: [item('30000')] }),
      10000n,
      { unused: [-5000n], gross: [15000n], total: 10000n, notes: [] },
    ],
    [
      'to a higher price with two thirds left',
      change('2026-06-11', { replaced: [charged(10000n)], added: [item('30000')] }),
      10000n,
      { unused: [-6667n], gross: [20000n], total: 13333n },
    ],
    [
      'after another change takes back what that one charged',
      change('2026-06-21', {
        replaced: [charged(20000n, { from: day('2026-06-11') })],
        added: [item('50000')],
      }),
      23333n,
      { unused: [-10000n], gross: [16667n], total: 6667n },
    ],
    [
      'of the number of seats',
      change('2026-06-20T18:30', { replaced: [charged(19000n)], added: [item('22800')] }),
      19000n,
      { unused: [-6478n], gross: [7774n], total: 1296n },
    ],
    [
      'to a lower price gives the difference back',
      change('2026-06-13', { replaced: [charged(24900n)], added: [item('9900')] }),
      24900n,
      { unused: [], gross: [], total: 0n, notes: ['first 9000'] },
    ],
    [
      'under a percentage',
      change('2026-06-16', {
        replaced: [charged(8000n, { gross: 10000n })],
        added: [item('30000')],
        discount: percent('20'),
      }),
      8000n,
      { unused: [-4000n], gross: [15000n], discount: 3000n, total: 8000n },
    ],
    [
      'under a fixed discount grants no second one',
      change('2026-06-16', {
        replaced: [charged(2000n, { gross: 3000n })],
        added: [item('6000')],
        discount: { type: 'FIXED', value: '1000', currency: 'USD', productIds: [] },
      }),
      2000n,
      { unused: [-1000n], gross: [3000n], discount: 500n, total: 1500n },
    ],
    [
      'of one item of two under a percentage',
      change('2026-06-11', {
        replaced: [charged(2000n, { gross: 3000n })],
        added: [item('6000')],
        discount: percent('33.33'),
      }),
      2667n,
      { unused: [-1333n], gross: [4000n], discount: 1333n, total: 1334n },
    ],
    [
      'that adds an item',
      change('2026-06-25T12:00', { added: [item('1500', 'b')] }),
      10000n,
      { unused: [], gross: [275n], total: 275n },
    ],
    [
      'over a period from the end of a month',
      {
        period: { from: day('2026-02-28'), to: day('2026-03-31') },
        at: day('2026-03-15'),
        replaced: [charged(2900n, { from: day('2026-02-28') })],
        added: [item('9900')],
        currency: 'USD',
      },
      2900n,
      { unused: [-1497n], gross: [5110n], total: 3613n },
    ],
    [
      'in a currency without decimals',
      change('2026-06-09T07:12', {
        replaced: [charged(1000n)],
        added: [item('2980')],
        currency: 'JPY',
      }),
      1000n,
      { unused: [-723n], gross: [2156n], total: 1433n },
    ],
    [
      'that costs as much as it gives back has no document',
      change('2026-06-16', { replaced: [charged(1n)], added: [item('2')] }),
      1n,
      { unused: [], gross: [], total: 0n, notes: [] },
    ],
    [
      'multiplies the exact charge, not the rounded one',
      change('2026-06-16', { added: [item('2.6', 'b')] }),
      10000n,
      { gross: [1n], total: 1n },
    ],
    [
      'at the end of the period costs nothing',
      change('2026-07-01', { replaced: [charged(10000n)], added: [item('30000')] }),
      10000n,
      { unused: [], gross: [], total: 0n, notes: [] },
    ],
  ])('%s', (_name, parts, room, expected) => {
    expect(billOf(parts, [paid(room)])).toMatchObject(expected);
  });

  test('lessens an invoice that is not paid, and charges the new price', () => {
    const parts = change('2026-06-13', { replaced: [charged(24900n)], added: [item('9900')] });
    const bill = billChange(prorate(parts), {
      newestFirst: [{ invoiceId: 'open', status: 'OPEN', room: 24900n }],
    });
    expect(bill.creditNotes).toEqual([
      { invoiceId: 'open', amount: 14940n, settledBy: 'AMOUNT_DUE' },
    ]);
    expect(bill.invoice).toMatchObject({ unused: [], remaining: [{ gross: 5940n }] });
  });
});

test('unused time on lines put off is a line apart from that on invoices', () => {
  const parts = change('2026-06-21', {
    replaced: [charged(20000n, { from: day('2026-06-11') })],
    added: [item('60000')],
  });
  const bill = billChange(prorate(parts), { newestFirst: [paid(9000n)], putOff: 4000n });
  expect(bill).toMatchObject({ creditNotes: [], lapsed: 0n });
  expect(bill.invoice?.unused).toEqual([
    { itemId: 'a', amount: 4000n, isPutOff: true },
    { itemId: 'a', amount: 6000n },
  ]);
});

describe('a new cycle', () => {
  const all = (net: bigint, from: string, to: string, at: string) =>
    unusedTime(charged(net, { from: day(from) }), { from: day(at), to: day(to) });

  test.each([
    [
      'takes back the rest of a month from a year',
      all(10000n, '2026-06-01', '2026-07-01', '2026-06-16'),
      { charged: 100000n, newestFirst: [paid(10000n)] },
      { lines: [{ itemId: 'a', amount: 5000n }], creditNotes: [], lapsed: 0n },
    ],
    [
      'gives back what its first invoice does not hold',
      all(100000n, '2025-06-01', '2026-06-01', '2025-08-13'),
      { charged: 10000n, newestFirst: [paid(100000n)] },
      {
        lines: [{ itemId: 'a', amount: 10000n }],
        creditNotes: [{ invoiceId: 'first', amount: 70000n, settledBy: 'BALANCE' }],
        lapsed: 0n,
      },
    ],
    [
      'gives all back where nothing is charged, newest invoice first',
      all(15000n, '2026-06-16', '2026-07-01', '2026-06-16'),
      { charged: 0n, newestFirst: [paid(10000n, 'change'), paid(10000n)] },
      {
        lines: [],
        creditNotes: [
          { invoiceId: 'change', amount: 10000n, settledBy: 'BALANCE' },
          { invoiceId: 'first', amount: 5000n, settledBy: 'BALANCE' },
        ],
        lapsed: 0n,
      },
    ],
  ])('%s', (_name, unused, { charged: total, newestFirst }, expected) => {
    expect(creditAtNewCycle([unused], { charged: total, newestFirst })).toEqual(expected);
  });

  test('gives two charges of one item back once', () => {
    const twice = [
      all(3000n, '2026-06-01', '2026-07-01', '2026-06-21'),
      all(1000n, '2026-06-11', '2026-07-01', '2026-06-21'),
    ];
    const { lines } = creditAtNewCycle(twice, { charged: 9000n, newestFirst: [paid(4000n)] });
    expect(lines).toEqual([{ itemId: 'a', amount: 1500n }]);
  });
});

const amounts = fc.bigInt({ min: 0n, max: 10_000_000n });
const instants = fc.integer({ min: june.from, max: june.to });

describe('properties of changes', () => {
  test('unused time never exceeds its charge, and nothing is credited beyond the room', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(amounts, amounts), { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(fc.constantFrom('PAID' as const, 'OPEN' as const), amounts), {
          maxLength: 4,
        }),
        instants,
        (prices, rooms, at) => {
          const ids = prices.map((_price, index) => `i${String(index)}`);
          const parts: ProratedChange = {
            period: june,
            at,
            replaced: prices.map(([net], index) => charged(net, { id: ids[index] ?? '' })),
            added: prices.map(([, to], index) => item(to.toString(), ids[index] ?? '')),
            currency: 'USD',
          };
          const invoices = rooms.map(([status, room], index) => ({
            invoiceId: `n${String(index)}`,
            status,
            room,
          }));
          const { unused, remaining } = prorate(parts);
          expect(unused.every(({ amount, of }) => amount <= of)).toBe(true);
          const { placed, lapsed } = placeCredits(unused, invoices);
          const allPlaced = sum(placed.map(({ amount }) => amount));
          expect(allPlaced + lapsed).toBe(sum(unused.map(({ amount }) => amount)));
          const bill = billChange({ unused, remaining }, { newestFirst: invoices });
          const lines = sum((bill.invoice?.unused ?? []).map(({ amount }) => amount));
          const charges = sum((bill.invoice?.remaining ?? []).map(({ net }) => net));
          const notes = sum(bill.creditNotes.map(({ amount }) => amount));
          // Each amount that is taken back or charged is billed exactly once.
          expect(charges - lines - notes).toBe(sum(remaining.map(({ net }) => net)) - allPlaced);
          expect(bill.invoice === undefined || charges > lines).toBe(true);
          for (const { invoiceId, room } of invoices) {
            const credited = bill.creditNotes.filter((note) => note.invoiceId === invoiceId);
            expect(sum(credited.map(({ amount }) => amount)) <= room).toBe(true);
          }
        },
      ),
    );
  });

  test('a change and its reverse at one instant cost nothing', () => {
    fc.assert(
      fc.property(amounts, amounts, instants, (from, to, at) => {
        const there = prorate({
          period: june,
          at,
          replaced: [charged(from)],
          added: [item(to.toString())],
          currency: 'USD',
        });
        const back = prorate({
          period: june,
          at,
          replaced: chargesAfter({ at }, there),
          added: [item(from.toString())],
          currency: 'USD',
        });
        const costs = [there, back].map(
          ({ unused, remaining }) =>
            sum(remaining.map(({ net }) => net)) - sum(unused.map(({ amount }) => amount)),
        );
        expect(sum(costs)).toBe(0n);
      }),
    );
  });

  test('a new cycle bills what it charges and gives back exactly once, never below 0', () => {
    const charges = fc.array(amounts, { minLength: 1, maxLength: 4 });
    const rooms = fc.array(fc.tuple(fc.constantFrom('PAID' as const, 'OPEN' as const), amounts), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(charges, rooms, amounts, instants, (nets, invoices, wholePeriod, at) => {
        const unused = nets.map((net, index) =>
          unusedTime(charged(net, { id: `i${String(index)}` }), { from: at, to: june.to }),
        );
        const newestFirst = invoices.map(([status, room], index) => ({
          invoiceId: `n${String(index)}`,
          ...{ status, room },
        }));
        const bill = creditAtNewCycle(unused, { charged: wholePeriod, newestFirst });
        const [lines, notes] = [bill.lines, bill.creditNotes].map((parts) =>
          sum(parts.map(({ amount }) => amount)),
        );
        expect((lines ?? 0n) <= wholePeriod).toBe(true);
        expect((lines ?? 0n) + (notes ?? 0n) + bill.lapsed).toBe(
          sum(unused.map(({ amount }) => amount)),
        );
      }),
    );
  });
});
