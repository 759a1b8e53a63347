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
  }),
  portalSessions: shardedById({ expiresAt: 'retention' }),
  portalSettings: shardedAggregates(),
  portalSignIns: shardedById({ expiresAt: 'retention' }),
  portalVisits: shardedById({ expiresAt: 'retention' }),
};
