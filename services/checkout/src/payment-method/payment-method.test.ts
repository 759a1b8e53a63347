import { unchanged } from '@billing/kernel/transition';
import { keep, keepUnpaid, type MethodUse, newPayer, prefer, remove } from './payment-method';

function aUse(use: Partial<MethodUse> = {}): MethodUse {
  return {
    methodId: 'b',
    customerId: 'customer',
    usedAt: new Date('2026-01-10T00:00:00.000Z'),
    savedAt: new Date('2031-01-01T00:00:00.500Z'),
    ...use,
  };
}

const payer = newPayer('payer', aUse()).state;

test('the first method is the default', () => {
  expect(payer).toMatchObject({ id: 'payer', customerId: 'customer', defaultMethodId: 'b' });
});

test.each([
  ['later in environment time', { usedAt: new Date('2026-01-10T00:00:00.001Z') }],
  ['of the same environment time, saved later', { savedAt: new Date('2031-01-01T00:00:00.501Z') }],
  ['of the same time in both, with the greater id', { methodId: 'c' }],
])('a method %s becomes the default', (_case, later) => {
  const use = aUse({ methodId: 'z', ...later });
  expect(prefer(payer, use).state.defaultMethodId).toBe(use.methodId);
});

test.each([
  [
    'earlier in environment time, retried later',
    { usedAt: new Date('2026-01-09T00:00:00.000Z'), savedAt: new Date('2032-01-01T00:00:00.000Z') },
  ],
  [
    'of the same environment time, saved earlier',
    { savedAt: new Date('2031-01-01T00:00:00.499Z') },
  ],
  ['of the same time in both, with the smaller id', { methodId: 'a' }],
])('a method %s does not replace the default', (_case, earlier) => {
  expect(prefer(payer, aUse({ methodId: 'z', ...earlier }))).toEqual(unchanged(payer));
});

test('a further use of the default changes nothing', () => {
  expect(prefer(payer, aUse())).toEqual(unchanged(payer));
});

test('a first default and a new default charge open invoices, a later use of the same one does not', () => {
  const usedAt = new Date('2026-02-10T00:00:00.000Z');
  const collect = (defaultMethodId: string) => [
    { type: 'collectOpenInvoices', payload: { defaultMethodId } },
  ];
  expect(newPayer('payer', aUse()).commands).toEqual(collect('b'));
  expect(prefer(payer, aUse({ methodId: 'z', usedAt })).commands).toEqual(collect('z'));
  expect(prefer(payer, aUse({ usedAt })).commands).toEqual([]);
});

const later = new Date('2026-02-10T00:00:00.000Z');

/** A customer with the default `b` and the given methods before it. */
function payerWith(...ids: string[]) {
  return { ...payer, methodIds: [...ids, 'b'] };
}

describe('keeping a method', () => {
  test('adds it next to the default, and charges nothing', () => {
    const kept = keep(payer, aUse({ methodId: 'z', usedAt: later }), { asDefault: false });
    expect(kept).toEqual({
      state: { ...payer, methodIds: ['b', 'z'] },
      events: [],
      commands: [],
    });
  });

  test('as the default charges open invoices to it', () => {
    const kept = keep(payer, aUse({ methodId: 'z', usedAt: later }), { asDefault: true });
    expect(kept.state).toMatchObject({ defaultMethodId: 'z', methodIds: ['b', 'z'] });
    expect(kept.commands.map(({ type }) => type)).toEqual([
      'moveSubscriptions',
      'collectOpenInvoices',
    ]);
    expect(kept.commands[0]?.payload).toMatchObject({ fromMethodId: 'b', toMethodId: 'z' });
  });

  test('that is already listed makes it the default, or changes nothing', () => {
    const two = payerWith('a');
    const use = aUse({ methodId: 'a', usedAt: later });
    expect(keep(two, use, { asDefault: false })).toEqual(unchanged(two));
    const preferred = keep(two, use, { asDefault: true });
    expect(preferred.state).toMatchObject({ defaultMethodId: 'a', methodIds: ['b', 'a'] });
  });

  test('makes it the default if there is none', () => {
    const none = { ...payer, defaultMethodId: null, methodIds: [], removedIds: ['b'] };
    const kept = keep(none, aUse({ methodId: 'z', usedAt: later }), { asDefault: false });
    expect(kept.state).toMatchObject({ defaultMethodId: 'z', methodIds: ['z'] });
  });

  test('that was removed is refused', () => {
    const two = { ...payer, removedIds: ['z'] };
    const keeping = () => keep(two, aUse({ methodId: 'z', usedAt: later }), { asDefault: true });
    expect(keeping).toThrow('Payment method not found');
  });

  test('beyond the twentieth is refused; a method that pays replaces the oldest', () => {
    const ids = Array.from({ length: 19 }, (_, index) => `m${String(index)}`);
    const full = payerWith(...ids);
    const use = aUse({ methodId: 'z', usedAt: later });
    expect(() => keep(full, use, { asDefault: true })).toThrow('at most 20');
    const { methodIds } = prefer(full, use).state;
    expect([methodIds.length, methodIds.includes('m0'), methodIds.at(-1)]).toEqual([
      20,
      false,
      'z',
    ]);
  });
});

describe('removing a method', () => {
  test('other than the default is permanent, also while subscriptions are charged', () => {
    const removed = remove(payerWith('a'), 'a', { isCharged: true }).state;
    expect(removed).toMatchObject({ defaultMethodId: 'b', methodIds: ['b'], removedIds: ['a'] });
    expect(prefer(removed, aUse({ methodId: 'a', usedAt: later }))).toEqual(unchanged(removed));
    expect(remove(removed, 'a', { isCharged: true })).toEqual(unchanged(removed));
  });

  test('that is the default is refused while there are others', () => {
    const removing = () => remove(payerWith('a'), 'b', { isCharged: false });
    expect(removing).toThrow('Make another payment method the default first');
  });

  test('that is the last one is refused while it is charged', () => {
    expect(() => remove(payer, 'b', { isCharged: true })).toThrow('A subscription is charged');
    const { state } = remove(payer, 'b', { isCharged: false });
    expect(state).toMatchObject({ defaultMethodId: null, methodIds: [], removedIds: ['b'] });
  });

  test('that the customer never had is refused', () => {
    expect(() => remove(payer, 'z', { isCharged: false })).toThrow('Payment method not found');
  });
});

describe('a method that has not paid yet', () => {
  const unpaid = (ids: readonly string[], methodId = 'z') =>
    keepUnpaid(payerWith(...ids), aUse({ methodId, usedAt: later })).state;

  test('is added, and leaves the default', () => {
    expect(unpaid(['a'])).toMatchObject({ defaultMethodId: 'b', methodIds: ['a', 'b', 'z'] });
  });

  test('becomes the default of a customer who has none', () => {
    const without = remove(payer, 'b', { isCharged: false }).state;
    const use = aUse({ methodId: 'z', usedAt: later });
    expect(keepUnpaid(without, use).state).toMatchObject({ defaultMethodId: 'z' });
  });

  test('that is listed or removed changes nothing', () => {
    const kept = payerWith('a');
    expect(keepUnpaid(kept, aUse({ methodId: 'a' }))).toEqual(unchanged(kept));
    const removed = { ...kept, removedIds: ['y'] };
    expect(keepUnpaid(removed, aUse({ methodId: 'y' }))).toEqual(unchanged(removed));
  });

  test('replaces the oldest other one if there are 20', () => {
    const ids = Array.from({ length: 19 }, (_, index) => `m${String(index)}`);
    const { defaultMethodId, methodIds } = unpaid(ids);
    expect([defaultMethodId, methodIds.length]).toEqual(['b', 20]);
    expect(methodIds).not.toContain('m0');
    expect(methodIds).toEqual(expect.arrayContaining(['b', 'm1', 'z']));
  });
});
