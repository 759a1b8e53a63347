import type { ApiProblem } from '../../api/problem';
import { FormValues } from '../../parts/form/form-values';
import { termsOfOthers, misfitText, wantedItems } from './items';

const valuesOf = (entries: Readonly<Record<string, string>>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(entries)) data.set(name, value);
  return new FormValues(data);
};

test('a form asks for its only item, or for the list of its items', () => {
  expect(wantedItems(valuesOf({ productId: 'pro', quantity: '3' }))).toEqual({
    productId: 'pro',
    quantity: 3,
  });
  const list = {
    ...{ 'items.0.productId': 'pro', 'items.0.quantity': '' },
    ...{ 'items.1.productId': 'support', 'items.1.quantity': 'two' },
  };
  expect(wantedItems(valuesOf(list))).toEqual({
    items: [
      { productId: 'pro', quantity: 1 },
      { productId: 'support', quantity: 'two' },
    ],
  });
});

test('an item without a product is refused at its field', () => {
  const refusedFields = (entries: Readonly<Record<string, string>>) => {
    try {
      return wantedItems(valuesOf(entries));
    } catch (error) {
      return (error as ApiProblem).details.fields;
    }
  };
  expect(refusedFields({ productId: '', quantity: '1' })).toEqual({ productId: ['Required'] });
  expect(refusedFields({ 'items.0.productId': 'pro', 'items.1.productId': '' })).toEqual({
    'items.1.productId': ['Required'],
  });
});

const monthly = { currency: 'USD', billingInterval: 'MONTHLY', intervalCount: 1 } as const;

describe('items after the first one', () => {
  test('are offered with its currency and billing interval', () => {
    expect(termsOfOthers({ ...monthly, intervalCount: 3 })).toEqual({
      ...monthly,
      intervalCount: 3,
    });
    expect(termsOfOthers(undefined)).toEqual({});
  });

  test.each([
    ['of the same terms', {}, undefined],
    ['of another currency', { currency: 'EUR' }, 'Must be in USD, like item 1'],
    ['of a year', { billingInterval: 'YEARLY' }, 'Must be billed every month, like item 1'],
    ['of two months', { intervalCount: 2 }, 'Must be billed every month, like item 1'],
  ] as const)('%s fit or say why not', (_case, terms, text) => {
    expect(misfitText({ ...monthly, ...terms }, monthly)).toBe(text);
  });

  test('say so also for longer intervals of the first one, and fit if nothing is chosen', () => {
    const weeks = { ...monthly, billingInterval: 'WEEKLY', intervalCount: 2 } as const;
    expect(misfitText(monthly, weeks)).toBe('Must be billed every 2 weeks, like item 1');
    expect(misfitText(undefined, monthly)).toBeUndefined();
    expect(misfitText(monthly, undefined)).toBeUndefined();
  });
});
