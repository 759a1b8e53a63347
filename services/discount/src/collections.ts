import {
  chassisCollections,
  type CollectionLayouts,
  shardedAggregates,
  shardedBy,
} from '@billing/chassis/collection-layout';

/**
 * Collections of discount. The slots of one discount lie on one shard, where their numbers and
 * holders are unique.
 */
export const collections: CollectionLayouts = {
  ...chassisCollections,
  discounts: shardedAggregates({ 'environmentId codeKey': 'a discount by its code' }),
  redemptionSlots: shardedBy(
    { environmentId: 1, discountId: 1 },
    {
      askAt: 'holders that are due for a check',
      'confirmedAt state': 'recent confirmations, after a restore',
    },
  ),
};
