import { Decimal } from '@billing/kernel/decimal';
import type { CreditAccount, CreditGrant, PeriodConsumption } from '../credit/account';
import { usageOfUnits } from '../testing/window-usage';
import { decideWindows, isDecided, openWindows } from './decision';

const hourMs = 3_600_000;
const day = new Date('2026-03-01T00:00:00Z').getTime();
const at = (hour: number) => new Date(day + hour * hourMs);
const series = { customerId: 'c', meterId: 'm', aggregation: 'SUM', uniqueProperty: null } as const;
const deciderOf = (settlement: string) => ({ subscriptionId: 's', settlement, series });
const now = at(9);

const windows = [0, 1, 2].map((index) => ({
  periodIndex: index,
  start: at(index),
  end: at(index + 1),
  includedUnits: '1',
  taken: [],
}));

const empty: CreditAccount = {
  id: 'a',
  customerId: 'c',
  meterId: 'm',
  grants: [],
  consumptions: [],
  burns: [],
};
const grant: CreditGrant = {
  id: 'g',
  amount: '6',
  priority: 100,
  source: 'PAID',
  effectiveAt: at(0),
  expiresAt: null,
  createdAt: at(0),
};

/** The account after a settlement that reads this many units per window. */
function settled(account: CreditAccount, settlement: string, units: readonly number[]) {
  const decider = deciderOf(settlement);
  const set = { until: 7, flushes: ['f8'] };
  const read = openWindows(account, windows, decider).map((window) => ({
    window,
    usage: {
      ...usageOfUnits([{ span: window, units: units[window.periodIndex] ?? 0 }]),
      set,
    },
  }));
  const grantIds = new Set(account.grants.map(({ id }) => id));
  return decideWindows(account, { windows, read, decider, grantIds, now });
}

function decisionsIn({ consumptions }: CreditAccount) {
  return consumptions.map(({ quantity, uses }) => [quantity, uses.map((one) => one.quantity)]);
}

test('a settlement decides all its windows, burns credits in their order and names the events', () => {
  const account = settled({ ...empty, grants: [grant] }, 'k', [4, 5, 2]);
  expect(decisionsIn(account)).toEqual([
    ['4', ['3']],
    ['5', ['3']],
    ['2', []],
  ]);
  expect(account.consumptions.map(({ set }) => set)).toEqual(
    windows.map(() => ({ until: 7, flushes: ['f8'] })),
  );
  expect(isDecided(account, windows, deciderOf('k'))).toBe(true);
  expect(isDecided(account, windows, deciderOf('another'))).toBe(false);
});

test('a settlement that was decided is not decided again', () => {
  const account = settled({ ...empty, grants: [grant] }, 'k', [4, 5, 2]);
  expect(settled(account, 'k', [9, 9, 9])).toEqual(account);
});

test('a later settlement of the same usage and credits decides the same', () => {
  const first = settled({ ...empty, grants: [grant] }, 'k', [4, 5, 2]);
  expect(decisionsIn(settled(first, 'next', [4, 5, 2]))).toEqual(decisionsIn(first));
});

test('units that a later window has burnt stay with it', () => {
  const first = settled({ ...empty, grants: [grant] }, 'k', [4, 5, 2]);
  expect(decisionsIn(settled(first, 'next', [6, 5, 2]))).toEqual([
    ['6', ['3']],
    ['5', ['3']],
    ['2', []],
  ]);
});

test('a final decision is repeated without a read, also one of nothing', () => {
  const final = (index: number, settlement: string): PeriodConsumption => ({
    period: `s:${String(index)}`,
    settlement,
    quantity: '0',
    uses: [],
    isFinal: true,
  });
  const account = { ...empty, consumptions: [final(0, 'k'), final(1, 'k')] };
  const decider = deciderOf('next');
  expect(openWindows(account, windows, decider).map(({ periodIndex }) => periodIndex)).toEqual([2]);
  expect(settled(account, 'next', [9, 9, 2]).consumptions).toMatchObject([
    final(0, 'next'),
    final(1, 'next'),
    { period: 's:2', settlement: 'next', quantity: '2' },
  ]);
});

describe('a decision that was taken from its invoice', () => {
  const adopted: PeriodConsumption = {
    period: 's:0',
    settlement: 'lost',
    quantity: '5',
    uses: [{ grantId: 'g', quantity: '4' }],
    isAdopted: true,
  };
  const before = { ...empty, grants: [grant], consumptions: [adopted] };

  test('stays while less usage is there: its events are lost', () => {
    const account = settled(before, 'next', [4, 0, 0]);
    expect(decisionsIn(account)[0]).toEqual(['5', ['4']]);
    expect(isDecided(account, windows, deciderOf('next'))).toBe(true);
    // Also for the settlement after that.
    expect(decisionsIn(settled(account, 'last', [3, 0, 0]))[0]).toEqual(['5', ['4']]);
  });

  test('is replaced once more usage is there', () => {
    const account = settled(before, 'next', [6, 0, 0]);
    expect(decisionsIn(account)[0]).toEqual(['6', ['5']]);
    expect(account.consumptions[0]).not.toHaveProperty('isAdopted');
  });

  const marked = (quantity: string) => ({ quantity, uses: [] });
  test.each([
    ['stays while less usage is there up to a mark', [4, 6], '5'],
    ['is replaced once no mark has less usage', [5, 6], '6'],
  ])('with stretches %s', (_name, [mark, all], quantity) => {
    const stretches = [at(0.5), at(1)].map((end) => {
      return { end, includedUnits: Decimal.of(9n), continues: false };
    });
    const window = { ...windows[0]!, stretches };
    const adoptedParts = { ...adopted, uses: [], marks: [marked('5')] };
    const usage = usageOfUnits([{ span: window, units: all! }]);
    const read = { window, usage: { ...usage, marks: [Decimal.of(BigInt(mark!))] } };
    const account = decideWindows(
      { ...empty, consumptions: [adoptedParts] },
      { windows: [window], read: [read], decider: deciderOf('next'), grantIds: new Set(), now },
    );
    expect(account.consumptions[0]).toMatchObject({ quantity, marks: [marked('5')] });
  });
});
