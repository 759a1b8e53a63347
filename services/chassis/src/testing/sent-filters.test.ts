import {
  type CollectionLayouts,
  shardedBy,
  shardedById,
  unsharded,
} from '../mongo/collection-layout';
import { filterProblem } from './sent-filters';

const layouts: CollectionLayouts = {
  orders: shardedById({ 'environmentId createdAt': 'lists' }),
  slots: shardedBy({ environmentId: 1, orderId: 1 }, { dueAt: 'due slots' }),
  settings: unsharded,
  visits: { ...shardedById(), isMonthly: true },
};

describe('a filter', () => {
  test.each([
    ['orders', 'updateOne', { _id: 'a', version: 1 }],
    ['orders', 'find', { _id: { $in: ['a', 'b'] } }],
    ['visits_202612', 'find', { _id: 'a' }],
    ['orders', 'find', { environmentId: 'e', createdAt: { $lte: 1 }, status: 'OPEN' }],
    ['orders', 'deleteMany', { $and: [{ _id: { $in: ['a'] } }, { position: { $lt: 3 } }] }],
    ['slots', 'updateOne', { environmentId: 'e', orderId: 'o', state: 'FREE' }],
    ['slots', 'find', { dueAt: { $lte: 1 } }],
    ['settings', 'updateOne', { name: 'x' }],
    // The deletion of an environment.
    ['slots', 'find', { environmentId: 'e' }],
    ['slots', 'find', { _id: { $gte: 'e', $lt: 'f' } }],
    ['slots', 'deleteMany', { _id: { $in: ['a'] }, environmentId: 'e' }],
  ])('of %s passes: %s %j', (collection, method, filter) => {
    expect(filterProblem(layouts, { collection, method, filter })).toBeUndefined();
  });

  test.each([
    ['find', { environmentId: 'e', status: 'OPEN' }],
    ['find', { _id: { $gt: 'a' }, status: 'OPEN' }],
    ['updateMany', { environmentId: 'e' }],
    // Listed for reads, but a write of one document needs the key.
    ['updateOne', { environmentId: 'e', createdAt: 1 }],
    ['findOneAndUpdate', { _id: { $ne: 'a' } }],
  ])('of a collection sharded by id does not pass: %s %j', (method, filter) => {
    const problem = filterProblem(layouts, { collection: 'orders', method, filter });
    expect(problem).toMatch(/^orders: .* does not name the shard key$/);
  });

  test('that names a part of the shard key, or the id alone, does not pass', () => {
    for (const filter of [{ environmentId: 'e', state: 'FREE' }, { _id: 'a' }]) {
      expect(filterProblem(layouts, { collection: 'slots', method: 'find', filter })).toBeDefined();
    }
  });

  test('of a collection without a layout does not pass', () => {
    const sent = { collection: 'things', method: 'find', filter: { _id: 'a' } };
    expect(filterProblem(layouts, sent)).toBe('things has no layout');
  });
});
