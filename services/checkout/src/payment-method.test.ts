import { unchanged } from '@billing/kernel/transition';
import { newPayer, type PaymentMethod, prefer } from './payment-method';

function aMethod(method: Partial<PaymentMethod> = {}): PaymentMethod {
  return {
    id: 'b',
    customerId: 'customer',
    provider: 'sandbox',
    providerMethodId: 'card',
    brand: 'visa',
    last4: '4242',
    usedAt: new Date('2026-01-10T00:00:00.000Z'),
    savedAt: new Date('2031-01-01T00:00:00.500Z'),
    ...method,
  };
}

const payer = newPayer('payer', aMethod()).state;

test('the first method is the default', () => {
  expect(payer).toMatchObject({ id: 'payer', customerId: 'customer', defaultMethodId: 'b' });
});

test.each([
  ['later in business time', { usedAt: new Date('2026-01-10T00:00:00.001Z') }],
  ['of the same business time, saved later', { savedAt: new Date('2031-01-01T00:00:00.501Z') }],
  ['of the same instant in both, with the greater id', { id: 'c' }],
])('a method %s becomes the default', (_case, later) => {
  const method = aMethod({ id: 'z', ...later });
  expect(prefer(payer, method).state.defaultMethodId).toBe(method.id);
});

test.each([
  [
    'earlier in business time, repeated later',
    { usedAt: new Date('2026-01-09T00:00:00.000Z'), savedAt: new Date('2032-01-01T00:00:00.000Z') },
  ],
  ['of the same business time, saved earlier', { savedAt: new Date('2031-01-01T00:00:00.499Z') }],
  ['of the same instant in both, with the smaller id', { id: 'a' }],
])('a method %s leaves the default', (_case, earlier) => {
  expect(prefer(payer, aMethod({ id: 'z', ...earlier }))).toEqual(unchanged(payer));
});

test('the default itself, once more, changes nothing', () => {
  expect(prefer(payer, aMethod())).toEqual(unchanged(payer));
});
