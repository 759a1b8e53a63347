import { rpcService } from '@billing/chassis/rpc';
import {
  type CatalogServiceServer,
  CatalogServiceService,
} from '@billing/proto/billing/catalog/v1/catalog';
import { catalogCallers } from './callers';
import { meterPriceCalls, type MeterPriceDependencies } from './meter-price-rpc';
import { productCalls, type ProductDependencies } from './product-rpc';

export function catalogRpc(dependencies: ProductDependencies & MeterPriceDependencies) {
  return rpcService<CatalogServiceServer>(
    CatalogServiceService,
    { ...productCalls(dependencies), ...meterPriceCalls(dependencies) },
    { callers: catalogCallers },
  );
}
