import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
import type { CustomerConfiguration } from './config';
import { customerRpc } from './rpc';
import { customerDefinition } from './store';

/** Customers, served over gRPC. */
export async function start(
  config: CustomerConfiguration,
  overrides: ServiceOverrides = {},
): Promise<RunningService> {
  const service = await Service.open('customer', config, overrides);
  const customers = service.aggregates(customerDefinition);
  return service.serve([customerRpc(customers)]);
}
