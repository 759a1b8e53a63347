import {
  chassisCollections,
  type CollectionLayouts,
  shardedAggregates,
  unsharded,
} from '@billing/chassis/collection-layout';

/** Collections of subscription. */
export const collections: CollectionLayouts = {
  ...chassisCollections,
  changes: shardedAggregates({ 'environmentId subscriptionId': 'changes of a subscription' }),
  previewKeys: unsharded,
  priceMigrationRows: shardedAggregates({
    'environmentId migrationId': 'subscriptions of a price migration',
  }),
  priceMigrations: shardedAggregates(),
  revenueTotals: unsharded,
  subscriptions: shardedAggregates({
    'environmentId customer.id': 'erasure of a customer',
    'environmentId isTombstone': 'reports, changes of a price migration that wait',
    'environmentId parkedFor': 'subscriptions that are not billed',
  }),
};
