import {
  chassisCollections,
  type CollectionLayouts,
  shardedAggregates,
  shardedById,
} from '@billing/chassis/collection-layout';

/** Collections of customer. */
export const collections: CollectionLayouts = {
  ...chassisCollections,
  customers: shardedAggregates({
    'environmentId externalIdKey': 'many names resolved at a time',
    eraseAt: 'steps of erasures that are due',
    'environmentId erasedAt': 'deleted customers, which lists leave out',
  }),
  portalSessions: shardedById({
    expiresAt: 'retention',
    'environmentId customerId': 'erasure of a customer',
  }),
  portalSettings: shardedAggregates(),
  portalSignIns: shardedById({ expiresAt: 'retention' }),
  portalVisits: shardedById({
    expiresAt: 'retention',
    'environmentId customerId': 'erasure of a customer',
  }),
};
