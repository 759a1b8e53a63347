import { newSubscription } from './new-subscription';

const filledIn = (entries: Readonly<Record<string, string>>) => ({
  text: (name: string) => entries[name] ?? '',
  optional: (name: string) => entries[name],
});

test('empty fields get the defaults of the API', () => {
  expect(newSubscription(filledIn({ productId: 'p' }), 'c')).toEqual({
    customerId: 'c',
    productId: 'p',
    quantity: 1,
    discountId: null,
    startAt: null,
    authorizedTransactionId: null,
  });
});

test('filled fields are sent, and an invalid number is left to the API to reject', () => {
  const filled = { productId: 'p', quantity: '12', startAt: '2026-03-01T08:30', discountId: 'd' };
  expect(newSubscription(filledIn(filled), 'c')).toMatchObject({
    quantity: 12,
    startAt: '2026-03-01T08:30:00Z',
    discountId: 'd',
  });
  const odd = newSubscription(filledIn({ quantity: 'many' }), 'c');
  expect(odd).toMatchObject({ quantity: 'many' });
});
