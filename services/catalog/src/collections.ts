import {
  chassisCollections,
  type CollectionLayouts,
  shardedAggregates,
  shardedById,
} from '@billing/chassis/collection-layout';

/** Collections of catalog. */
export const collections: CollectionLayouts = {
  ...chassisCollections,
  products: shardedAggregates({
    'environmentId price.id': 'a product by its current price',
    'environmentId meterPrices.since': 'exports of meter prices',
  }),
  replacedMeterPrices: shardedById({
    'environmentId since': 'sets of a product, by the instant',
  }),
  supersededPrices: shardedById(),
};
