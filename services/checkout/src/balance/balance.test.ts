import fc from 'fast-check';
import {
  adjustmentOf,
  type Balance,
  consumptionOf,
  emptyBalance,
  post,
  reservationOf,
  withoutCopied,
} from './balance';

const realNow = new Date('2026-01-01T00:00:00.000Z');
const now = new Date('2026-02-01T00:00:00.000Z');
const id = 'environment:customer:EUR';
const empty = emptyBalance({ id, customerId: 'customer', currency: 'EUR' }, realNow);
const holding = (balance: bigint): Balance => ({ ...empty, balance, sequence: 1, movedAt: now });

test.each([
  ['a manual entry', adjustmentOf(-500n), 500n, -500n],
  ['a manual entry above 0', adjustmentOf(1n), 99_999_999_998n, 1n],
  ['an invoice over the balance', consumptionOf(3451n), 549n, -549n],
  ['an invoice under the balance', consumptionOf(3451n), 5000n, -3451n],
  ['an invoice without a balance', consumptionOf(3451n), 0n, 0n],
  ['an invoice of 0', consumptionOf(0n), 5000n, 0n],
  ['a reservation of the whole balance', reservationOf(549n), 549n, -549n],
  ['a reservation of a part', reservationOf(549n), 550n, -549n],
  ['a reservation of nothing', reservationOf(0n), 0n, 0n],
])('%s has its amount', (_name, amountOf, balance, amount) => {
  expect(amountOf(balance)).toBe(amount);
});

test.each([
  ['a manual entry below 0', adjustmentOf(-501n), 500n, 'BALANCE_TOO_LOW'],
  ['a manual entry over the limit', adjustmentOf(2n), 99_999_999_998n, 'BALANCE_TOO_HIGH'],
  ['a reservation of more than the balance', reservationOf(550n), 549n, 'BALANCE_MOVED'],
])('%s is refused', (_name, amountOf, balance, reason) => {
  expect(() => amountOf(balance)).toThrow(expect.objectContaining({ reason }));
});

test('a posting changes the balance and appends its entry', () => {
  const posting = { id: 'entry', kind: 'APPLIED', invoiceId: 'invoice' } as const;
  const { state, events, commands } = post(holding(549n), posting, {
    amountOf: consumptionOf(3451n),
    now,
    realNow,
  });
  expect({ events, commands }).toEqual({ events: [], commands: [] });
  expect(state).toMatchObject({ balance: 0n, sequence: 2, movedAt: now, postedAt: realNow });
  expect(state.pendingEntries).toEqual([
    {
      ...{ id: 'entry', kind: 'APPLIED', invoiceId: 'invoice', customerId: 'customer' },
      ...{ currency: 'EUR', amount: -549n, balanceAfter: 0n, sequence: 2, createdAt: now },
      ...{ description: undefined, metadata: {} },
    },
  ]);
});

test('a tombstone takes no sequence and does not move the balance', () => {
  const before = { ...holding(0n), movedAt: realNow };
  const posting = { id: 'entry', kind: 'APPLIED' } as const;
  const { state } = post(before, posting, { amountOf: consumptionOf(1n), now, realNow });
  expect(state).toMatchObject({ balance: 0n, sequence: 1, movedAt: realNow });
  expect(state.pendingEntries).toMatchObject([{ amount: 0n, sequence: 0, balanceAfter: 0n }]);
});

type Step =
  | { readonly kind: 'ADJUST'; readonly amount: bigint }
  | { readonly kind: 'APPLY'; readonly amount: bigint }
  | { readonly kind: 'RESERVE'; readonly amount: bigint }
  | { readonly kind: 'COPY' };

const amount = fc.bigInt({ min: 0n, max: 5_000n });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('ADJUST' as const),
    amount: fc.bigInt({ min: -5_000n, max: 5_000n }).filter((value) => value !== 0n),
  }),
  fc.record({ kind: fc.constantFrom('APPLY' as const, 'RESERVE' as const), amount }),
  fc.record({ kind: fc.constant('COPY' as const) }),
);

test("random histories of a customer's ledger agree with a plain list", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let balance: Balance = empty;
      const entries: Balance['pendingEntries'][number][] = [];
      const list: bigint[] = [];
      const sum = () => list.reduce((left, right) => left + right, 0n);
      for (const [index, next] of steps.entries()) {
        if (next.kind === 'COPY') {
          entries.push(...balance.pendingEntries);
          balance = withoutCopied(balance, balance.pendingEntries);
          continue;
        }
        const [amountOf, expected] = expectedOf(next, sum());
        const posting = { id: String(index), kind: 'ADJUSTMENT' } as const;
        const run = () => post(balance, posting, { amountOf, now, realNow }).state;
        if (expected === undefined) {
          expect(run).toThrow();
          continue;
        }
        balance = run();
        if (expected !== 0n) list.push(expected);
        expect(balance.balance).toBe(sum());
      }
      const shown = [...entries, ...balance.pendingEntries].filter(({ sequence }) => sequence > 0);
      expect(shown.map((entry) => entry.amount)).toEqual(list);
      expect(shown.map(({ sequence }) => sequence)).toEqual(list.map((_, index) => index + 1));
      expect(shown.map(({ balanceAfter }) => balanceAfter)).toEqual(
        list.map((_, index) => list.slice(0, index + 1).reduce((a, b) => a + b, 0n)),
      );
      expect(balance.sequence).toBe(list.length);
    }),
    { numRuns: 1_000 },
  );
});

// The plain list's answer; undefined for a refusal.
function expectedOf(next: Exclude<Step, { kind: 'COPY' }>, sum: bigint) {
  switch (next.kind) {
    case 'ADJUST':
      return [adjustmentOf(next.amount), sum + next.amount < 0n ? undefined : next.amount] as const;
    case 'APPLY':
      return [consumptionOf(next.amount), next.amount > sum ? -sum : -next.amount] as const;
    case 'RESERVE':
      return [reservationOf(next.amount), next.amount > sum ? undefined : -next.amount] as const;
  }
}
