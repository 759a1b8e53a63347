import { Decimal } from '@billing/kernel/decimal';
import { AMOUNT_MAX } from '@billing/kernel/money';
import { UsageState as ProtoUsageState } from '@billing/proto/billing/metering/v1/metering';
import { toJsonUsageState } from '@billing/proto/json/usage/usage-state';
import fc from 'fast-check';
import {
  addGrant,
  createGrant,
  type CreditAccount,
  grantsFor,
  setConsumption,
  usesOf,
} from '../credit/account';
import { burnCredits, type Burning } from '../credit/burning';
import type { UsageTerms } from '../credit/running-usage';
import { createMeter } from '../meter/meter';
import { usageState } from './usage-state';
import { toProtoUsageState } from './usage-state-rpc';

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

function afterBurning(account: CreditAccount, burning: Burning): CreditAccount {
  const consumption = {
    period: 's:0',
    settlement: 'running',
    quantity: '0',
    uses: usesOf(burning),
  };
  return setConsumption(account, consumption, now);
}

/** Usage state after one event; decimals as strings. `priced` null: the meter has no price. */
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
  const state = usageState(
    { ...burning, events: 1, quantity },
    {
      period,
      now,
      account: afterBurning(account, burning),
      terms: priced ?? undefined,
      used: quantity,
    },
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
  test('counts included units first, then credits, then overage', () => {
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
    ['that expire before the period as nothing', { amount: '5', to: '2026-03-01' }, '0', '0'],
    ['that start after the period as nothing', { amount: '5', from: '2026-04-01' }, '0', '0'],
    [
      'that start in the period as granted and remaining',
      { amount: '5', from: '2026-03-31' },
      '5',
      '5',
    ],
    [
      'that have expired in the period as granted and not remaining',
      { amount: '5', to: '2026-03-20' },
      '5',
      '0',
    ],
    ['that expire later as granted and remaining', { amount: '5', to: '2026-03-21' }, '5', '5'],
  ])('counts credits %s', (_what, grant, granted, remaining) => {
    expect(stateOf('0', { grants: [grant] })).toMatchObject({ granted, remaining });
  });

  test('has no estimate without a price, and its entitlement depends on credits alone', () => {
    const unpriced = { priced: null };
    expect(stateOf('3', unpriced)).toMatchObject({
      balance: '-3',
      estimated: undefined,
      entitled: false,
    });
    const grants = [{ amount: '5' }];
    expect(stateOf('3', { ...unpriced, grants })).toMatchObject({ balance: '2', entitled: true });
    expect(stateOf('5', { ...unpriced, grants })).toMatchObject({ balance: '0', entitled: false });
  });

  test('of a trial is free', () => {
    expect(stateOf('50', { priced: { ...terms, isTrial: true } })).toMatchObject({ estimated: 0n });
  });

  test('of a subscription without access is entitled to the remaining credits only', () => {
    const priced = { ...terms, entitled: false };
    expect(stateOf('9', { priced }).entitled).toBe(true);
    expect(stateOf('10', { priced }).entitled).toBe(false);
  });

  test('has a balance of included units plus credits minus usage, for any grants and usage', () => {
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

describe('the estimate of a usage state', () => {
  const costing = (unitAmount: string, used: string) =>
    stateOf(used, { priced: { ...terms, price: { ...price, unitAmount } } }).estimated;

  test('is given up to the largest amount and absent above it', () => {
    expect(costing('1', String(AMOUNT_MAX + 10n))).toBe(AMOUNT_MAX);
    expect(costing('1', `${String(AMOUNT_MAX + 10n)}.4`)).toBe(AMOUNT_MAX);
    expect(costing('1', `${String(AMOUNT_MAX + 10n)}.5`)).toBeUndefined();
    expect(costing('99999999999', '1000000000000000')).toBeUndefined();
    expect(costing('99999999', '1000000000')).toBeUndefined();
  });

  test("is limited by the price's maximum amount, even if that is the largest amount", () => {
    const capped = { ...price, unitAmount: '99999999999', maximumAmount: AMOUNT_MAX };
    const priced = { ...terms, price: capped };
    expect(stateOf('1000000000000000', { priced }).estimated).toBe(AMOUNT_MAX);
  });
});

test('the returned state has the exact usage and a valid estimate, for any valid price, credits and events', () => {
  const decimal = (max: bigint) =>
    fc.tuple(fc.bigInt(0n, max), fc.nat({ max: 999_999_999_999 })).map(([whole, part]) => {
      const parts = whole === max ? 0n : BigInt(part);
      return Decimal.of(whole * 10n ** 12n + parts, 12).toString();
    });
  const rate = fc.oneof(decimal(AMOUNT_MAX), decimal(10n));
  const units = fc.oneof(decimal(10n ** 15n), decimal(10n));
  const tiers = fc
    .tuple(
      units.filter((upTo) => upTo !== '0'),
      rate,
      rate,
    )
    .map(([upTo, first, last]) => [
      { upTo, unitAmount: first, flatAmount: first },
      { upTo: null, unitAmount: last, flatAmount: last },
    ]);
  const prices = fc.oneof(
    rate.map((unitAmount) => ({ ...price, unitAmount })),
    fc
      .tuple(
        rate,
        units.filter((size) => size !== '0'),
      )
      .map(([unitAmount, packageSize]) => ({
        ...price,
        type: 'PACKAGE' as const,
        unitAmount,
        packageSize,
      })),
    fc
      .tuple(fc.constantFrom('TIERED' as const, 'VOLUME' as const), tiers)
      .map(([type, all]) => ({ ...price, type, unitAmount: null, tiers: all })),
  );
  const quantities = fc.array(units, { maxLength: 20 });
  const amounts = fc.array(
    units.filter((amount) => amount !== '0'),
    { maxLength: 3 },
  );
  fc.assert(
    fc.property(prices, units, quantities, amounts, (given, includedUnits, used, granted) => {
      const returned = returnedState({ ...given, includedUnits }, used, granted);
      const { estimatedAmount, currency } = returned;
      expect(currency).toBe('USD');
      expect(estimatedAmount ?? 0).toBeLessThanOrEqual(Number(AMOUNT_MAX));
      expect(Decimal.parse(returned.usage).toString()).toBe(sum(used));
    }),
    { numRuns: 500 },
  );
});

function sum(all: readonly string[]): string {
  return all.reduce((total, one) => total.add(Decimal.parse(one)), Decimal.of(0n)).toString();
}

/** Usage state after events with these quantities, in the JSON form of the REST API. */
function returnedState(
  given: UsageTerms['price'],
  used: readonly string[],
  granted: readonly string[],
) {
  const meter = createMeter(
    { name: 'Calls', aggregation: 'SUM' },
    { id: 'm', metadataProblems: [] },
  );
  const account = accountWith(granted.map((amount) => ({ amount })));
  const available = grantsFor(account, undefined);
  const usages = used.map((one) => ({ at: period.start, quantity: Decimal.parse(one) }));
  const burning = burnCredits(available, usages, Decimal.parse(given.includedUnits));
  const quantity = Decimal.parse(sum(used));
  const burnt = { ...burning, events: used.length, quantity };
  const priced = { ...terms, price: given };
  const state = toProtoUsageState(
    { meter, account: afterBurning(account, burning), period, terms: priced, burnt, used: burnt },
    now,
  );
  return toJsonUsageState(ProtoUsageState.decode(ProtoUsageState.encode(state).finish()));
}
