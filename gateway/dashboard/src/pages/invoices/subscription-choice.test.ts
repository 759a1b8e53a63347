import { chosenSubscription, subscriptionChoice } from './subscription-choice';

const customer = { id: 'c', name: 'Ada Lovelace', email: 'ada@example.com' };
const subscription = {
  ...{ id: 's', productId: 'p', customer },
  ...({ status: 'ACTIVE', phase: 'TRIAL' } as const),
};
const names = new Map([['p', 'Difference Engine']]);

test('a subscription is offered by its product, customer and status', () => {
  expect(subscriptionChoice(subscription, names)).toEqual({
    ...{ id: 's', label: 'Difference Engine', detail: 'Ada Lovelace · On trial' },
  });
  expect(subscriptionChoice({ ...subscription, customer: null }, new Map())).toEqual({
    ...{ id: 's', label: 's', detail: 'On trial' },
  });
});

test.each([
  ['nothing', '', undefined, names, undefined],
  ['one that is read', 's', undefined, names, 's'],
  ['one that does not exist', 's', null, names, 's'],
  ['one whose product is read', 's', subscription, new Map<string, string>(), 's'],
  ['a known one', 's', subscription, names, 'Difference Engine · Ada Lovelace'],
  ['one without customer', 's', { ...subscription, customer: null }, names, 'Difference Engine'],
])('the label of %s', (_name, id, read, productNames, label) => {
  expect(chosenSubscription(id, read, productNames)?.label).toBe(label);
});
