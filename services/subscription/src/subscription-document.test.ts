import { subscriptionDefinition } from './subscription-document';
import { type ChangeLine, noChanges } from './subscription/subscription-change';
import type { Subscription } from './subscription/subscription';
import { aPrice, aSubscription } from './testing/fixtures';

const toDocument = (state: Parameters<typeof subscriptionDefinition.toDocument>[0]) =>
  subscriptionDefinition.toDocument(state);
const fromDocument = (document: Parameters<typeof subscriptionDefinition.fromDocument>[0]) =>
  subscriptionDefinition.fromDocument(document);
const subscription = aSubscription({ quantity: 3 }, { price: aPrice({ type: 'PER_UNIT' }) });

/** The document as a release without items has stored it. */
function earlierDocument({ items, changes: _changes, ...state }: Subscription) {
  const [{ id: itemId, productId, productName, price, quantity }] = items;
  const { id: _id, ...document } = { ...state, metadata: JSON.stringify(state.metadata) };
  const stored = { ...price, metadata: JSON.stringify(price.metadata) };
  return { ...document, itemId, productId, productName, price: stored, quantity };
}

test('a document of an earlier release is read with its price as the only item', () => {
  const document = { _id: subscription.id, ...earlierDocument(subscription) };
  expect(fromDocument(document)).toEqual({ ...subscription, changes: noChanges });
});

test('the next write stores items, and clears the fields of the earlier form', () => {
  const earlier = { _id: subscription.id, ...earlierDocument(subscription) };
  const written = { ...earlier, ...toDocument(fromDocument(earlier)) };
  expect(written).toMatchObject({
    items: [{ quantity: 3 }],
    ...{ itemId: null, productId: null, productName: null, price: null, quantity: null },
  });
  expect(fromDocument({ ...written, _id: subscription.id })).toEqual(subscription);
});

describe('money that waits after a roll-back to an earlier release', () => {
  const line: ChangeLine = {
    ...{ kind: 'REMAINING_TIME', itemId: 'item', productId: 'pro', priceId: 'price' },
    ...{ description: 'Remaining time on Pro', quantity: '1', exactAmount: '15000' },
    ...{ amount: 15000n, discountAmount: 0n, taxedAs: null, proration: null, charge: null },
  };
  const waiting = { changeId: 'change', lines: [line], discount: null, bill: null };
  const cancellation = { id: 'call', reservedRound: 1, creditNotes: [] };
  const changes = { ...noChanges, putOff: [waiting], cancellation };
  const stored = { ...toDocument({ ...subscription, changes }), _id: subscription.id };

  test('is kept: the fields are unknown to that release, which rewrites the changes', () => {
    expect(stored).toMatchObject({ putOff: [waiting], cancellation });
    const rewritten = { ...stored, changes: toDocument({ ...subscription }).changes };
    expect(rewritten.changes).not.toHaveProperty('putOff');
    expect(rewritten.changes).not.toHaveProperty('cancellation');
    expect(fromDocument(rewritten)).toMatchObject({ changes });
  });

  test('is cleared by the write that bills it', () => {
    const written = { ...stored, ...toDocument(subscription) };
    expect(fromDocument(written)).toMatchObject({ changes: { putOff: [] } });
    expect(toDocument(subscription)).toMatchObject({ putOff: [] });
  });
});
