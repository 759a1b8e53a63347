import { AMOUNT_MAX } from '@billing/kernel/money';
import type { ChangeRequest } from '../lifecycle/check-change';
import { aChangeRequest } from '../testing/change-request';
import { aPrice, aSubscription, refusedFields } from '../testing/fixtures';
import { checkBills, nothingBilled } from './read-quote';

// Stored over the limit, by a price migration.
const price = aPrice({ type: 'PER_UNIT', amount: AMOUNT_MAX });
const over = {
  ...aSubscription(),
  items: [{ ...aSubscription().items[0], price, quantity: 2 }] as const,
};
const sameItems = { product: null, quantity: null, discount: null };

const refused = (parts: Partial<ChangeRequest>) =>
  refusedFields(() => {
    checkBills(over, nothingBilled, aChangeRequest({ at: 'PERIOD_END', ...parts }));
  });

test.each<[what: string, parts: Partial<ChangeRequest>]>([
  ['a pause', { kind: 'PAUSE', wanted: sameItems }],
  ['another discount', { wanted: { ...sameItems, discount: { next: null } } }],
  ['its own quantity', { wanted: { ...sameItems, quantity: 2 } }],
])('a subscription over the limit takes %s', (_what, parts) => {
  expect(refused(parts)).toBeUndefined();
});

test('a subscription over the limit takes no other items that are over it, too', () => {
  const message = ['The total exceeds the maximum amount'];
  expect(refused({ wanted: { ...sameItems, quantity: 3 } })).toEqual({ quantity: message });
  const otherItems = [] as const;
  const wanted = { ...sameItems, quantity: 3, otherItems };
  expect(refused({ wanted })).toEqual({ items: message });
});
