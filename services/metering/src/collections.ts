import {
  chassisCollections,
  type CollectionLayouts,
  shardedAggregates,
  shardedBy,
  shardedById,
  unsharded,
} from '@billing/chassis/collection-layout';

/**
 * Collections of metering. Parts, hours, spans and values of a series lie on one shard; the key of
 * a series is its `_id` in `usageSeries`. Settlements of a subscription lie on one shard, where
 * their numbers are unique.
 */
export const collections: CollectionLayouts = {
  ...chassisCollections,
  creditAccounts: shardedAggregates({ 'environmentId hasGrants': 'reports of credits' }),
  creditBurnDays: shardedById({ accountId: 'reports of credits' }),
  creditGrants: shardedById(),
  creditGrantsClosed: shardedById({
    accountId: 'reports of credits',
    'environmentId customerId': 'lists of closed grants',
  }),
  creditPeriodsClosed: shardedById(),
  meters: shardedAggregates(),
  usageDays: unsharded,
  usageEpoch: unsharded,
  usageEvents: {
    ...shardedById({
      'environmentId customerId': 'events of a customer',
      'environmentId timestamp': 'lists of events',
    }),
    isMonthly: true,
  },
  usageHourValues: unsharded,
  usageHours: shardedBy({ k: 'hashed' }, { _id: 'takeover of hours of earlier versions' }),
  usageParts: shardedBy({ k: 'hashed' }, { _id: 'recovery of a flush, and the audit of an hour' }),
  usageSeries: shardedById({
    'environmentId customerId': 'series of a customer',
    'environmentId meterId': 'reports of usage',
    foldAt: 'due folds, in slices',
    _id: 'series in their order, for the audit',
    sealAt: 'series of earlier versions',
    'slice wokenAt': 'samples for the audit',
    wokenAt: 'series that are counted again after a restore',
  }),
  usageSettlements: shardedBy({ environmentId: 1, subscriptionId: 1 }),
  usageSlots: unsharded,
  usageSpans: shardedBy({ k: 'hashed' }, { readAt: 'spans that nothing read for long' }),
  usageValues: shardedBy({ k: 'hashed' }),
};
