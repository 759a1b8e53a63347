import { unchanged } from '@billing/kernel/transition';
import { type MethodUse, newPayer, prefer } from './payment-method';

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
  ['later in business time', { usedAt: new Date('2026-01-10T00:00:00.001Z') }],
  ['of the same business time, saved later', { savedAt: new Date('2031-01-01T00:00:00.501Z') }],
  ['of the same instant in both, with the greater id', { methodId: 'c' }],
])('a method %s becomes the default', (_case, later) => {
  const use = aUse({ methodId: 'z', ...later });
  expect(prefer(payer, use).state.defaultMethodId).toBe(use.methodId);
});

test.each([
  [
    'earlier in business time, repeated later',
    { usedAt: new Date('2026-01-09T00:00:00.000Z'), savedAt: new Date('2032-01-01T00:00:00.000Z') },
  ],
  ['of the same business time, saved earlier', { savedAt: new Date('2031-01-01T00:00:00.499Z') }],
  ['of the same instant in both, with the smaller id', { methodId: 'a' }],
])('a method %s leaves the default', (_case, earlier) => {
  expect(prefer(payer, aUse({ methodId: 'z', ...earlier }))).toEqual(unchanged(payer));
});

test('the default itself, once more, changes nothing', () => {
  expect(prefer(payer, aUse())).toEqual(unchanged(payer));
});

test('a first and another default charge what is owed, a later use of the same does not', () => {
  const usedAt = new Date('2026-02-10T00:00:00.000Z');
  const collect = (defaultMethodId: string) => [
    { type: 'collectOpenInvoices', payload: { defaultMethodId } },
  ];
  expect(newPayer('payer', aUse()).commands).toEqual(collect('b'));
  expect(prefer(payer, aUse({ methodId: 'z', usedAt })).commands).toEqual(collect('z'));
  expect(prefer(payer, aUse({ usedAt })).commands).toEqual([]);
});
