import { serviceNames } from '../system/services';
import { collectionsByService } from './collections';
import { serviceCollections, shardedCollections, shellCommands } from './commands';

const now = new Date('2026-11-23T09:00:00Z');

const layouts = {
  discount: {
    replicas: { shardKey: undefined, scatter: {} },
    slots: { shardKey: { environmentId: 1, discountId: 1 }, scatter: {} },
    discounts: { shardKey: { _id: 'hashed' }, scatter: {} },
  },
  customer: { customers: { shardKey: { _id: 'hashed' }, scatter: {} } },
} as const;

function all(...args: Parameters<typeof serviceCollections>) {
  return serviceCollections(...args).flatMap((service) =>
    shardedCollections(service, { existing: [], now }),
  );
}

test('collections of months are sharded: existing ones, and those of the next year', () => {
  const [metering] = serviceCollections({ metering: collectionsByService.metering! }, 'b');
  const existing = ['usageEvents', 'usageEvents_202607', 'usageHours_202607', 'unknown'];
  const months = shardedCollections(metering!, { existing, now }).filter(({ collection }) =>
    /_\d/.test(collection),
  );
  expect(months.map(({ collection }) => collection.replace('usageEvents_', ''))).toEqual([
    '202607',
    ...['202611', '202612', '202701', '202702', '202703', '202704', '202705'],
    ...['202706', '202707', '202708', '202709', '202710', '202711'],
  ]);
  expect(months[0]).toEqual({
    database: 'b_metering',
    collection: 'usageEvents_202607',
    shardKey: { _id: 'hashed' },
  });
});

test('the commands enable each database and shard its collections, except small ones', () => {
  expect(shellCommands(all(layouts, 'billing'))).toEqual([
    'sh.enableSharding("billing_discount")',
    'db.getSiblingDB("billing_discount").getCollection("discounts").createIndex({"_id":"hashed"})',
    'sh.shardCollection("billing_discount.discounts", {"_id":"hashed"})',
    'sh.shardCollection("billing_discount.slots", {"environmentId":1,"discountId":1})',
    'sh.enableSharding("billing_customer")',
    'db.getSiblingDB("billing_customer").getCollection("customers").createIndex({"_id":"hashed"})',
    'sh.shardCollection("billing_customer.customers", {"_id":"hashed"})',
  ]);
});

test('every service with a database has layouts of its collections', () => {
  const withDatabase = serviceNames.filter((name) => name !== 'gateway');
  expect(Object.keys(collectionsByService)).toEqual(withDatabase);
});

test('claims, logs and aggregates are sharded by their hashed ids, numbers by environment', () => {
  const keys = new Map(
    all(collectionsByService, 'b').map(({ database, collection, shardKey }) => [
      `${database}.${collection}`,
      shardKey,
    ]),
  );
  for (const name of ['customer.keyClaims', 'checkout.eventLog', 'subscription.subscriptions']) {
    expect(keys.get(`b_${name}`)).toEqual({ _id: 'hashed' });
  }
  expect(keys.get('b_checkout.invoiceNumbers')).toEqual({ environmentId: 1 });
  expect(keys.has('b_identity.organizations')).toBe(false);
});
