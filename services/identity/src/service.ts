import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
import { ApiKeyStore } from './api-key-store';
import { ApiKeyUseStore } from './api-key-use-store';
import type { IdentityConfiguration } from './config';
import { JumpWorkerPool } from './jump-worker-pool';
import { connectDueWork } from './peers';
import { identityRpc } from './rpc';
import { apiKeys, environments, organizations } from './store';

export async function start(
  config: IdentityConfiguration,
  overrides: ServiceOverrides = {},
): Promise<RunningService> {
  const service = await Service.open('identity', config, overrides);
  const { clock, logger } = service;
  const keys = service.aggregates(apiKeys);
  const stores = {
    organizations: service.aggregates(organizations),
    environments: service.aggregates(environments),
    apiKeys: new ApiKeyStore(keys, clock, config.API_KEY_PEPPER),
    apiKeyUses: new ApiKeyUseStore(keys, logger),
  };
  service.onClose('notes of key uses', () => stores.apiKeyUses.settle());
  const workers = new JumpWorkerPool({
    environments: stores.environments,
    peers: connectDueWork(service, config),
    clock,
    logger,
    leaseMs: config.JUMP_LEASE_MS,
  });
  stores.environments.handle({ recover: (_id, { tenant }) => workers.takeOver(tenant) });
  // Closed after the server and the sweep, so that nothing starts a worker any more.
  service.onClose('jumps', () => workers.stop());

  const stopping = new AbortController();
  const running = await service.serve([
    identityRpc({ ...stores, clock, workers, stopping: stopping.signal }),
  ]);
  // Closed first: calls that watch a jump end at once and are repeated elsewhere, while the jump goes on.
  service.onClose('watching calls', async () => {
    stopping.abort();
  });
  return running;
}
