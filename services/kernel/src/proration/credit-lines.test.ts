import fc from 'fast-check';
import { sumOf } from '../money';
import { type CreditableLine, creditLines, creditWithTax, roomOf } from './credit-lines';

function line(parts: Partial<CreditableLine> & Pick<CreditableLine, 'priced'>): CreditableLine {
  const { priced, total = priced, left = total } = parts;
  return { lineItemId: 'line', itemId: 'item', ...parts, priced, total, left };
}

describe('the room of an invoice', () => {
  test.each<[string, CreditableLine[], bigint]>([
    ['of one line is its amount', [line({ priced: 10000n })], 10000n],
    ['does not count tax', [line({ priced: 24900n, total: 29631n })], 24900n],
    [
      'shrinks by what was credited',
      [line({ priced: 24900n, total: 29631n, left: 18921n })],
      15900n,
    ],
    [
      'of a change is its total, not its positive line',
      [line({ priced: -5000n, itemId: null }), line({ priced: 15000n })],
      10000n,
    ],
    ['leaves out usage', [line({ priced: 1000n }), line({ priced: 700n, itemId: null })], 1000n],
    ['of nothing is 0', [], 0n],
    ['is never below 0', [line({ priced: 100n, left: -5n })], 0n],
  ])('%s', (_name, lines, room) => {
    expect(roomOf(lines)).toBe(room);
  });
});

describe('the lines of a credit note', () => {
  const [first, second] = [
    line({ lineItemId: 'a', itemId: 'a', priced: 1000n }),
    line({ lineItemId: 'b', itemId: 'b', priced: 3000n, total: 3570n }),
  ];

  test('are those of the credited item first, then the others in their order', () => {
    expect(creditLines([first, second], { priced: 3500n, itemIds: ['b'] })).toEqual([
      { lineItemId: 'b', priced: 3000n, total: 3570n },
      { lineItemId: 'a', priced: 500n, total: 500n },
    ]);
  });

  test('have the tax of what they give back', () => {
    const charged = line({ priced: 24900n, total: 29631n });
    expect(creditLines([charged], { priced: 9000n, itemIds: ['item'] })).toEqual([
      { lineItemId: 'line', priced: 9000n, total: 10710n },
    ]);
  });

  const amounts = fc.bigInt({ min: 0n, max: 10_000_000n });

  test('give back all of what has room, and never more than is left', () => {
    const lines = fc
      .array(fc.tuple(amounts, fc.nat(30), fc.nat(100)), { maxLength: 4 })
      .map((drawn) =>
        drawn.map(([priced, tax, usedPercent], index) => {
          const total = priced + (priced * BigInt(tax)) / 100n;
          const left = total - (total * BigInt(usedPercent)) / 100n;
          return line({ lineItemId: String(index), priced, total, left });
        }),
      );
    fc.assert(
      fc.property(lines, amounts, (creditable, wanted) => {
        const room = roomOf(creditable);
        const priced = wanted < room ? wanted : room;
        const credits = creditLines(creditable, { priced, itemIds: ['item'] });
        expect(sumOf(credits.map((credit) => credit.total))).toBeLessThanOrEqual(
          sumOf(creditable.map(({ left }) => left)),
        );
        for (const credit of credits) {
          const source = creditable.find(({ lineItemId }) => lineItemId === credit.lineItemId);
          expect(credit.total <= (source?.left ?? 0n)).toBe(true);
        }
        // A line whose rest is too small for an amount with tax takes no part of it.
        const placed = sumOf(credits.map((credit) => credit.priced));
        expect(placed <= priced && priced - placed <= BigInt(creditable.length)).toBe(true);
      }),
    );
  });

  test('without tax give back exactly what is asked for', () => {
    fc.assert(
      fc.property(amounts, amounts, (left, wanted) => {
        const priced = wanted < left ? wanted : left;
        const credits = creditLines([line({ priced: left })], { priced, itemIds: ['item'] });
        expect(sumOf(credits.map((credit) => credit.total))).toBe(priced);
      }),
    );
  });
});

test('a priced amount of a line counts with tax, at most what is left', () => {
  const charged = { priced: 10000n, total: 11900n };
  const all = { left: 11900n, leftOfAll: 11900n };
  expect(creditWithTax(charged, 5000n, all)).toBe(5950n);
  expect(creditWithTax(charged, 5000n, { ...all, left: 100n })).toBe(100n);
  expect(creditWithTax(charged, 5000n, { ...all, leftOfAll: -1n })).toBe(0n);
  expect(creditWithTax({ priced: 0n, total: 0n }, 5000n, all)).toBe(0n);
});
