import { Decimal } from '@billing/kernel/decimal';
import fc from 'fast-check';
import { addGrant, createGrant, type CreditAccount, grantsFor } from './credit-account';
import { burnCredits } from './credit-burning';
import { monthOf, usageState, type UsageTerms } from './usage-state';

const now = new Date('2026-03-20T00:00:00Z');
const period = { start: new Date('2026-03-01T00:00:00Z'), end: new Date('2026-04-01T00:00:00Z') };
const empty: CreditAccount = {
  id: 'a',
  customerId: 'c',
  meterId: 'm',
  grants: [],
  consumptions: [],
  burns: [],
};

interface Grant {
  readonly amount: string;
  readonly from?: string;
  readonly to?: string;
}

function accountWith(grants: readonly Grant[]): CreditAccount {
  return grants.reduce(
    (account, { amount, from = '2026-01-01', to }, index) =>
      addGrant(
        account,
        createGrant(
          {
            amount,
            effectiveAt: new Date(from),
            expiresAt: to === undefined ? undefined : new Date(to),
          },
          { id: `g${String(index)}`, now: new Date(from), metadataProblems: [] },
        ),
      ),
    empty,
  );
}

const price: UsageTerms['price'] = {
  type: 'PER_UNIT',
  unitAmount: '2',
  tiers: null,
  includedUnits: '10',
  packageSize: null,
  minimumAmount: null,
  maximumAmount: null,
};
const terms: UsageTerms = {
  subscriptionId: 's',
  isTrial: false,
  entitled: true,
  currency: 'USD',
  price,
};

/** The state of so much usage on one day, as texts. */
function stateOf(
  used: string,
  {
    grants = [],
    priced = terms,
    at = '2026-03-10',
  }: { grants?: readonly Grant[]; priced?: UsageTerms | null; at?: string } = {},
) {
  const account = accountWith(grants);
  const included = priced === null ? '0' : priced.price.includedUnits;
  const quantity = Decimal.parse(used);
  const available = grantsFor(account, undefined);
  const burning = burnCredits(available, [{ at: new Date(at), quantity }], Decimal.parse(included));
  const burnt = new Map(burning.uses.map(({ grantId, quantity: units }) => [grantId, units]));
  const remaining = new Map(
    available.map((grant) => [
      grant.id,
      grant.available.subtract(burnt.get(grant.id) ?? Decimal.of(0n)),
    ]),
  );
  const state = usageState(
    { ...burning, events: 1, quantity },
    { period, now, account, remaining, terms: priced ?? undefined },
  );
  return {
    included: state.includedUnits.toString(),
    granted: state.creditsGranted.toString(),
    remaining: state.creditsRemaining.toString(),
    balance: state.balance.toString(),
    overage: state.overage.toString(),
    estimated: state.estimatedAmount,
    entitled: state.entitled,
  };
}

describe('a usage state', () => {
  test('counts included units first, then credits, then what is billed', () => {
    const grants = [{ amount: '5' }];
    const common = { included: '10', granted: '5', entitled: true };
    expect(stateOf('4', { grants })).toEqual({
      ...common,
      remaining: '5',
      balance: '11',
      overage: '0',
      estimated: 0n,
    });
    expect(stateOf('12', { grants })).toEqual({
      ...common,
      remaining: '3',
      balance: '3',
      overage: '0',
      estimated: 0n,
    });
    expect(stateOf('20', { grants })).toEqual({
      ...common,
      remaining: '0',
      balance: '-5',
      overage: '5',
      estimated: 10n,
    });
  });

  test.each<[string, Grant, granted: string, remaining: string]>([
    ['of before the period count for nothing', { amount: '5', to: '2026-03-01' }, '0', '0'],
    ['of after it count for nothing', { amount: '5', from: '2026-04-01' }, '0', '0'],
    ['that begin in it are granted', { amount: '5', from: '2026-03-31' }, '5', '5'],
    ['that have expired in it are granted and gone', { amount: '5', to: '2026-03-20' }, '5', '0'],
    ['that expire later remain', { amount: '5', to: '2026-03-21' }, '5', '5'],
  ])('credits %s', (_what, grant, granted, remaining) => {
    expect(stateOf('0', { grants: [grant] })).toMatchObject({ granted, remaining });
  });

  test('without a price estimates nothing, and entitles to credits alone', () => {
    const without = { priced: null };
    expect(stateOf('3', without)).toMatchObject({
      balance: '-3',
      estimated: undefined,
      entitled: false,
    });
    const grants = [{ amount: '5' }];
    expect(stateOf('3', { ...without, grants })).toMatchObject({ balance: '2', entitled: true });
    expect(stateOf('5', { ...without, grants })).toMatchObject({ balance: '0', entitled: false });
  });

  test('of a trial is free', () => {
    expect(stateOf('50', { priced: { ...terms, isTrial: true } })).toMatchObject({ estimated: 0n });
  });

  test('of a subscription that is entitled no more entitles to what is left of it', () => {
    const priced = { ...terms, entitled: false };
    expect(stateOf('9', { priced }).entitled).toBe(true);
    expect(stateOf('10', { priced }).entitled).toBe(false);
  });

  test('is whole: what is left less what is over is included + credits − usage, whatever was granted and used', () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 20 }), { maxLength: 4 });
    fc.assert(
      fc.property(amounts, fc.nat({ max: 100 }), (all, used) => {
        const grants = all.map((amount) => ({ amount: String(amount) }));
        const { balance, overage, remaining } = stateOf(String(used), { grants });
        const total = 10 + all.reduce((sum, amount) => sum + amount, 0);
        expect(Number(balance)).toBe(total - used);
        expect(Number(overage)).toBe(Math.max(0, used - total));
        expect(Number(remaining)).toBe(total - 10 - Math.min(total - 10, Math.max(0, used - 10)));
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  ['2026-02-28T23:59:59.999Z', '2026-02-01', '2026-03-01'],
  ['2026-12-31T12:00:00Z', '2026-12-01', '2027-01-01'],
  ['2026-03-01T00:00:00Z', '2026-03-01', '2026-04-01'],
])('%s lies in the month from %s to %s', (at, start, end) => {
  expect(monthOf(new Date(at))).toEqual({ start: new Date(start), end: new Date(end) });
});
