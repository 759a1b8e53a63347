import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
import type { CatalogConfiguration } from './config';
import { catalogRpc } from './rpc';
import { productDefinition } from './store';

/** Products with their prices, served over gRPC. */
export async function start(
  config: CatalogConfiguration,
  overrides: ServiceOverrides = {},
): Promise<RunningService> {
  const service = await Service.open('catalog', config, overrides);
  const products = service.aggregates(productDefinition);
  return service.serve([catalogRpc(products)]);
}
