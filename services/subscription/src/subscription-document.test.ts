import { requestChange } from './lifecycle/apply-change';
import { migrate } from './migration/migrate-subscription';
import { subscriptionDefinition } from './subscription-document';
import { type ChangeLine, noChanges } from './subscription/subscription-change';
import type { Subscription } from './subscription/subscription';
import { aChangeRequest } from './testing/change-request';
import { anOtherItem, aPrice, aSubscription, at, day } from './testing/fixtures';

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

describe('a waiting change after a release that knows only the main item has rewritten it', () => {
  const now = day('02-03');
  const support = anOtherItem();
  const several = aSubscription({ quantity: 3 }, { otherItems: [support] });
  const [main] = several.items;
  const next = { ...main, price: aPrice({ id: 'next', amount: 3900n }) };
  const { id: _id, quantity: _quantity, ...product } = next;

  /** The document after 0.1.0 has read it and has written it again. */
  function rewritten(state: Subscription) {
    const stored = { ...toDocument(state), _id: state.id } as unknown as Stored;
    const { waiting } = stored.changes;
    if (waiting === null) throw new Error('No change waits');
    const { migrationId: _1, collect: _2, putOff: _3, takenChangeIds: _4, ...change } = waiting;
    const { product: known, quantity, discount } = change.wanted;
    const wanted = { product: known, quantity, discount };
    const rates = stored.usage.rates.map(({ others: _others, ...ofMain }) => ofMain);
    const changes = { ...stored.changes, waiting: { ...change, wanted } };
    return { ...stored, changes, usage: { ...stored.usage, rates } };
  }

  function migrated(fromPriceId: string): Subscription {
    const exchange = { fromPriceId, product: { ...product, productId: 'moved' } };
    const order = { migrationId: 'job', changeId: 'change', exchange, movesMeters: true };
    return migrate(several, order, now).transition.state;
  }

  const listed = requestChange(
    several,
    aChangeRequest({
      at: 'PERIOD_END',
      wanted: {
        ...{ product, quantity: null, discount: null },
        otherItems: [{ id: support.id, product: null, quantity: 4 }],
      },
    }),
    at(now),
  ).state;

  test.each([
    ['of a price migration', migrated(main.price.id)],
    ['of a price migration of another item', migrated(support.price.id)],
    ['of a list of items', listed],
  ])('%s is complete', (_name, state) => {
    expect(fromDocument(rewritten(state))).toEqual(state);
  });

  test.each([
    ['price migration', migrated(main.price.id), { productId: 'moved', price: { id: 'next' } }],
    ['list of items', listed, { price: { id: 'next' } }],
  ])('by a %s has the main item where that release reads it', (_name, state, expected) => {
    expect(rewritten(state).changes.waiting.wanted).toMatchObject({ product: expected });
  });

  test('leaves the main item alone if the price migration is of another one', () => {
    const state = migrated(support.price.id);
    expect(rewritten(state).changes.waiting.wanted.product).toBeNull();
  });

  test('is read as it was stored before its fields had a place of their own', () => {
    const state = migrated(main.price.id);
    const { changeFields, ...stored } = { ...toDocument(state) } as unknown as Stored;
    const [fields] = changeFields;
    const { waiting } = stored.changes;
    const wanted = { ...waiting?.wanted, product: null, ...fields?.wanted };
    const earlier = { ...waiting, ...fields, wanted };
    const document = { ...stored, changes: { ...stored.changes, waiting: earlier } };
    expect(fromDocument({ ...document, _id: state.id })).toMatchObject({ changes: state.changes });
  });
});

interface Stored {
  readonly _id: string;
  readonly changes: {
    readonly waiting:
      | ({ readonly wanted: Record<'product' | 'quantity' | 'discount', unknown> } & Record<
          'migrationId' | 'collect' | 'putOff' | 'takenChangeIds',
          unknown
        >)
      | null;
  };
  readonly usage: { readonly rates: readonly { readonly others?: unknown }[] };
  readonly changeFields: readonly { readonly wanted: Record<string, unknown> }[];
}
