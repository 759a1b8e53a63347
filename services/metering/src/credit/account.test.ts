import fc from 'fast-check';
import { Decimal } from '@billing/kernel/decimal';
import {
  addGrant,
  consumedIn,
  createGrant,
  type CreditAccount,
  type CreditGrant,
  decidedBy,
  grantsFor,
  periodKey,
  setConsumption,
  statusOf,
  usesOf,
} from './account';
import { burnCredits } from './burning';

const now = new Date('2026-03-10T12:00:00Z');
const none = Decimal.of(0n);
const empty: CreditAccount = {
  id: 'a',
  customerId: 'c',
  meterId: 'm',
  grants: [],
  consumptions: [],
  burns: [],
};
const grant = (id: string, amount: string) =>
  createGrant({ amount }, { id, now, metadataProblems: [] });

test('a grant added twice is stored once', () => {
  const account = addGrant(empty, grant('g', '10'));
  expect(addGrant(account, grant('g', '10'))).toBe(account);
});

describe('an account refuses a grant beyond', () => {
  const many = (count: number, input: Partial<CreditGrant> = {}) =>
    Array.from({ length: count }, (_one, index) => ({
      ...grant(`${input.expiresAt ? 'expired' : 'old'}${String(index)}`, '1'),
      ...input,
    }));
  const expired = { effectiveAt: new Date(0), expiresAt: now };
  const usedUp = (count: number) => {
    const uses = many(count).map(({ id }) => ({ grantId: id, quantity: '1' }));
    return [{ period: 's:0', settlement: 'k', quantity: String(count), uses }];
  };
  const text = (most: string) => `A customer has at most ${most}`;
  const withUnits = text('1000 grants of a meter that have units left');
  const open = text('20000 grants of a meter that are not closed');

  test.each<[string, Partial<CreditAccount>, Partial<CreditAccount>, string]>([
    ['1,000 with units left', { grants: many(999) }, { grants: many(1_000) }, withUnits],
    [
      '1,000 with units left, not counting expired ones',
      { grants: [...many(2_000, expired), ...many(999)] },
      { grants: [...many(2_000, expired), ...many(1_000)] },
      withUnits,
    ],
    [
      '1,000 with units left, not counting used-up ones',
      { grants: many(2_999), consumptions: usedUp(2_000) },
      { grants: many(3_000), consumptions: usedUp(2_000) },
      withUnits,
    ],
    [
      '20,000 in all',
      { grants: many(19_999), consumptions: usedUp(19_999) },
      { grants: many(20_000), consumptions: usedUp(20_000) },
      open,
    ],
  ])('%s', (_what, few, enough, message) => {
    const more = (account: Partial<CreditAccount>) =>
      addGrant({ ...empty, ...account }, grant('new', '1')).grants.length;
    expect(more(few)).toBe((few.grants?.length ?? 0) + 1);
    const refusal = { reason: 'TOO_MANY_GRANTS', message };
    expect(() => more(enough)).toThrow(expect.objectContaining(refusal));
  });
});

test.each([
  ['with no units left', none, 'DEPLETED'],
  ['before its start', Decimal.of(1n), 'SCHEDULED'],
  ['between start and expiry', Decimal.of(1n), 'ACTIVE'],
  ['at its expiry', Decimal.of(1n), 'EXPIRED'],
])(
  'a grant %s has the status that its dates and remaining units give',
  (when, remaining, status) => {
    const [effectiveAt, expiresAt] = [new Date(100), new Date(200)];
    const at = {
      'with no units left': 150,
      'before its start': 99,
      'between start and expiry': 100,
      'at its expiry': 200,
    }[when];
    expect(statusOf({ effectiveAt, expiresAt }, remaining, new Date(at ?? 0))).toBe(status);
  },
);

test('a granted unit is either consumed or remaining, never below 0, however often periods are settled again', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.nat({ max: 30 }).map((digits) => String(digits + 1)),
        { maxLength: 4 },
      ),
      fc.array(fc.record({ index: fc.nat({ max: 3 }), used: fc.nat({ max: 60 }) }), {
        maxLength: 12,
      }),
      (amounts, settlements) => {
        let account = amounts.reduce(
          (before, amount, index) => addGrant(before, grant(`g${String(index)}`, amount)),
          empty,
        );
        settlements.forEach(({ index, used }, number) => {
          const period = periodKey('s', index);
          const settlement = `k${String(number)}`;
          const usages = [{ at: now, quantity: Decimal.of(BigInt(used)) }];
          const burnt = burnCredits(grantsFor(account, period), usages);
          const uses = usesOf(burnt);
          account = setConsumption(
            account,
            { period, settlement, quantity: String(used), uses },
            now,
          );
          expect(decidedBy(account, { period, settlement })?.uses).toEqual(uses);
          const covered = uses.reduce(
            (sum, one) => sum.add(Decimal.parse(one.quantity)),
            burnt.overage,
          );
          expect(covered.toString()).toBe(String(used));
        });
        const consumed = consumedIn(account.consumptions);
        for (const { id, available } of grantsFor(account, undefined)) {
          const amount = Decimal.parse(account.grants.find((one) => one.id === id)?.amount ?? '0');
          expect(available.compare(none)).toBeGreaterThanOrEqual(0);
          expect(available.add(consumed.get(id) ?? none).toString()).toBe(amount.toString());
        }
      },
    ),
    { numRuns: 1000 },
  );
});

describe('the consumption of a period', () => {
  const burnt = (
    period: string,
    settlement: string,
    uses: { grantId: string; quantity: string }[],
  ) => ({
    period,
    settlement,
    quantity: '7',
    uses,
  });
  const used = [{ grantId: 'g', quantity: '1' }];
  const after = (...all: ReturnType<typeof burnt>[]) =>
    all
      .reduce((account, one) => setConsumption(account, one, now), empty)
      .consumptions.map(({ period, settlement }) => `${period} by ${settlement}`);

  test('is kept permanently', () => {
    const [first, second] = [periodKey('s', 0), periodKey('s', 1)];
    expect(after(burnt(first, 'k0', used), burnt(second, 'k1', []))).toEqual([
      's:0 by k0',
      's:1 by k1',
    ]);
  });

  test('is dropped at the next settlement of the same subscription if it burnt nothing, and not at that of another', () => {
    const [first, second, other] = [periodKey('s', 0), periodKey('s', 1), periodKey('t', 0)];
    const first0 = burnt(first, 'k0', []);
    expect(after(first0, burnt(second, 'k0', []))).toEqual(['s:0 by k0', 's:1 by k0']);
    expect(after(first0, burnt(other, 'k1', []))).toEqual(['s:0 by k0', 't:0 by k1']);
    expect(after(first0, burnt(second, 'k1', []))).toEqual(['s:1 by k1']);
  });
});
