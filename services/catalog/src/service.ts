import { exportRpc, oneEach, scanAggregates } from '@billing/chassis/export-rpc';
import { searchRpc } from '@billing/chassis/search-rpc';
import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
import { MeterPrice, Product } from '@billing/proto/billing/catalog/v1/catalog';
import { Resource } from '@billing/proto/billing/export/v1/export';
import { ResultType } from '@billing/proto/billing/search/v1/search';
import { productCommands, unskippableProductCommands } from './commands';
import type { CatalogConfiguration } from './config';
import { announcedProducts } from './events';
import { MeterPriceSetStore } from './meter-price-set-store';
import { connectPeers } from './peers';
import { toProtoMeterPrice } from './price-message';
import { toProtoProduct } from './product-rpc';
import { catalogRpc } from './rpc';
import { productsWith } from './store';
import { SupersededPriceStore } from './superseded-price-store';

/** Starts the catalog service: products and prices over gRPC. */
export async function start(
  config: CatalogConfiguration,
  overrides: ServiceOverrides = {},
): Promise<RunningService> {
  const service = await Service.open('catalog', config, overrides);
  const products = service.aggregates(announcedProducts);
  const supersededPricesOf = (environmentId: string) =>
    new SupersededPriceStore(service.db, environmentId);
  const meterPriceSetsOf = (environmentId: string) =>
    new MeterPriceSetStore(service.db, environmentId);
  products.handle({
    commands: productCommands({ supersededPricesOf, meterPriceSetsOf }),
    unskippable: unskippableProductCommands,
  });
  const peers = connectPeers(service, config);
  return service.serve([
    catalogRpc({ products, supersededPricesOf, meterPriceSetsOf, peers }),
    exportRpc(service, {
      [Resource.RESOURCE_PRODUCT]: scanAggregates(products, {
        messagesOf: oneEach(toProtoProduct),
        encoder: Product,
      }),
      [Resource.RESOURCE_METER_PRICE]: scanAggregates(products, {
        messagesOf: (found) =>
          found.map(({ state: { id, meterPrices } }) =>
            meterPrices.prices.map((price) => toProtoMeterPrice(price, id)),
          ),
        encoder: MeterPrice,
        // The prices of a set are created together.
        orderBy: {
          field: 'meterPrices.since',
          timeOf: ({ meterPrices: { since } }) => since ?? new Date(0),
        },
      }),
    }),
    searchRpc(products.searchIndex, {
      type: ResultType.RESULT_TYPE_PRODUCT,
      filterOf: ({ active, price }) => productsWith({ active, price }),
      describe: ({ name, lookupKey, active }) => ({
        title: name,
        detail: lookupKey ?? '',
        status: active ? '' : 'INACTIVE',
      }),
    }),
  ]);
}
