import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
import { ApiKeyStore } from './api-key-store';
import { ApiKeyUseStore } from './api-key-use-store';
import { AuditStore } from './audit-store';
import type { IdentityConfiguration } from './config';
import { JumpWorkerPool } from './jump-worker-pool';
import { LoginAttemptStore } from './login-attempt-store';
import { forgottenBefore } from './login-attempts';
import { invitations, operators as operatorDefinition, operatorSessions } from './operator-store';
import { connectDueWork } from './peers';
import { requestsKeptMs } from './request-entry';
import { requestLogRpc } from './request-log-rpc';
import { RequestStore } from './request-store';
import { identityRpc, operatorRpc } from './rpc';
import { SignIn } from './sign-in-service';
import { apiKeys, environments, organizationEnvironments, organizations } from './store';
import { TokenStore } from './token-store';

const forgetEveryMs = 10 * 60 * 1_000;
const forgetRequestsEveryMs = 60 * 60 * 1_000;

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
  const environmentsOf = organizationEnvironments(service, stores.environments);
  const operators = service.aggregates(operatorDefinition);
  const tokens = { clock, pepper: config.API_KEY_PEPPER };
  const attempts = new LoginAttemptStore(service.db);
  const audit = new AuditStore(service.db);
  service.ensureIndexes(() => audit.ensureIndexes());
  service.ensureIndexes(() => attempts.ensureIndexes());
  service.every({
    name: 'forget failed log-ins',
    everyMs: forgetEveryMs,
    run: () => attempts.forget(forgottenBefore(clock.now())),
  });
  const requests = openRequests(service);
  const sessions = new TokenStore(service.aggregates(operatorSessions), tokens);
  const signIn = new SignIn({
    operators,
    sessions,
    attempts,
    passwordCost: config.PASSWORD_HASH_COST,
    clock,
  });
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
    operatorRpc({
      ...stores,
      operators,
      invitations: new TokenStore(service.aggregates(invitations), tokens),
      environmentsOf,
      signIn,
      audit,
      clock,
    }),
    requestLogRpc({ ...stores, requests }),
  ]);
  // Closed first: calls that watch a jump end at once and are repeated elsewhere, while the jump goes on.
  service.onClose('watching calls', async () => {
    stopping.abort();
  });
  return running;
}

function openRequests(service: Service): RequestStore {
  const requests = new RequestStore(service.db);
  service.ensureIndexes(() => requests.ensureIndexes());
  service.every({
    name: 'forget old requests',
    everyMs: forgetRequestsEveryMs,
    run: (signal) =>
      requests.forget(new Date(service.clock.now().getTime() - requestsKeptMs), signal),
  });
  return requests;
}
