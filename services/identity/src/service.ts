import type { AggregateCollection, CommandHandler } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { reassertChanged } from '@billing/chassis/changed-aggregates';
import { monotonicMs } from '@billing/chassis/clock';
import { dataKeySecrets, dataSecret } from '@billing/chassis/configuration';
import { DataKeys } from '@billing/chassis/data-keys';
import { erasureRpc } from '@billing/chassis/erasure-rpc';
import type { StepCounts } from '@billing/chassis/recovery';
import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
import { Semaphore } from '@billing/chassis/semaphore';
import { ApiKeyStore, apiKeys } from './api-key/api-key-store';
import { ApiKeyUseStore } from './api-key/use-store';
import { BackgroundWrites } from './background-write/background-write-store';
import { AuditStore } from './audit/audit-store';
import { commonPasswords } from './password/common-password-store';
import type { IdentityConfiguration } from './config';
import { HashQueue } from './password/hash-queue';
import { LiveUse } from './clock/advance-pace';
import { advancesMax, ClockAdvanceWorkerPool } from './clock/run-advances';
import { KeyLineage, type KeyLineageDependencies } from './api-key/lineage-store';
import { lostCallRpc } from './request-log/lost-call-rpc';
import { LostCallStore } from './request-log/lost-call-store';
import { LoginAttemptStore } from './password/login-attempt-store';
import { EmailCodes } from './operator/email-codes';
import type { Environment } from './environment/environment';
import { EnvironmentStore, environments } from './environment/environment-store';
import { waitingCallsMax } from './environment/sandbox-clock';
import { deletableBefore } from './password/login-attempts';
import type { Operator } from './operator/operator';
import { OperatorSessionStore } from './operator/session-store';
import {
  ensureEmailIndex,
  invitations,
  operators as operatorDefinition,
  operatorSessions,
  resetLinks,
} from './operator/operator-store';
import { deletionCommand } from './environment/commands';
import { catchUpClocks } from './clock/clock-catch-up-worker';
import { connectDueWork, connectSystems } from './peers';
import { bodyDaysMax } from './request-log/request-entry';
import { requestLogRpc, type RequestLogRpcDependencies } from './request-log/request-log-rpc';
import { RequestStore } from './request-log/request-store';
import { Restores } from '@billing/chassis/restores';
import { identityRpc, operatorRpc } from './rpc';
import { SandboxSlotStore } from './sandbox/sandbox-slot-store';
import { type SecondFactorDependencies, SecondFactors } from './operator/second-factors';
import { SealedFactorStore } from './second-factor/sealed-factor-store';
import { SignIn } from './operator/sign-in';
import { organizations } from './organization/organization-store';
import { TokenStore } from './operator/token-store';
import {
  type UnusedSandboxDependencies,
  UnusedSandboxWorker,
} from './sandbox/unused-sandbox-worker';
import { WaitingCalls } from './clock/waiting-calls';
import { erasingLogs } from './erasure/erase-customer';

// Limit of one organization.
const sandboxesMax = 1_000;
// Each hash keeps one of the process' few threads busy for a tenth of a second. Queued hashes are
// done well before their callers' deadlines. One address does not take all places of strangers.
const hashLimits = { runningMax: 2, waitingMax: 30, perAddressMax: 25 };
const deleteAttemptsEveryMs = 10 * 60 * 1_000;
// Repeated, because replicas that do not have the newest key yet may encrypt with the older one
// during a rollout.
const sealEveryMs = 10 * 60 * 1_000;
const deleteLostCallsEveryMs = 60 * 1_000;
const checkUnusedEveryMs = 60 * 60 * 1_000;

export async function start(
  config: IdentityConfiguration,
  overrides: ServiceOverrides = {},
): Promise<RunningService> {
  const service = await Service.open('identity', config, overrides);
  const { clock, logger } = service;
  // Audit entries stay, and the environment itself carries the deletion until all other data is
  // gone.
  service.deleteEnvironments({ keeps: ['auditEntries'], last: environments.collection });
  const tokens = { clock, peppers: openPeppers(service, config) };
  const keys = service.aggregates(apiKeys);
  const environmentStores = openEnvironments(service);
  const backgroundWrites = openBackgroundWrites(service);
  const stores = {
    organizations: service.aggregates(organizations),
    ...environmentStores,
    apiKeys: new ApiKeyStore(keys, clock, tokens.peppers),
    apiKeyUses: new ApiKeyUseStore(keys, environmentStores.environments, backgroundWrites),
  };
  retireUnusedSandboxes(service, stores);
  const operators = openOperators(service);
  const lineage = openLineage(service, { keys, apiKeys: stores.apiKeys, operators });
  service.ensureIndexes(() => stores.apiKeys.ensureIndexes());
  const attempts = openAttempts(service);
  const audit = openAudit(service, config);
  const { sessions, sessionList } = openSessions(service, tokens);
  const secondFactors = openSecondFactors(service, config, { operators, sessionList, attempts });
  const signIn = new SignIn({
    organizations: stores.organizations,
    secondFactors,
    operators,
    sessions,
    sessionList,
    attempts,
    passwordCost: config.PASSWORD_HASH_COST,
    hashes: new HashQueue(hashLimits),
    backgroundWrites,
    clock,
  });
  const advances = openAdvances(service, config, stores.environments);

  const stopping = new AbortController();
  const running = await service.serve([
    identityRpc({
      ...stores,
      lineage,
      clock,
      ...advances,
      waitingAdvances: new WaitingCalls(waitingCallsMax),
      replicas: service.slices,
      ...{ logger, stopping: stopping.signal },
    }),
    operatorRpc({
      ...stores,
      revokeKeysOf: (id, organizationId) => lineage.revokeDescendants(id, organizationId),
      operators,
      invitations: new TokenStore(service.aggregates(invitations), tokens),
      resetLinks: new TokenStore(service.aggregates(resetLinks), tokens),
      sessionList,
      commonPasswords,
      ...{ signIn, secondFactors },
      emailCodes: new EmailCodes(tokens.peppers),
      ...{ audit, clock, logger },
    }),
    ...logRpcs(service, { ...stores, requests: openRequests(service, config), audit }),
    lostCallRpc(openLostCalls(service)),
  ]);
  // Closed first: calls that wait for an advance end immediately and are retried elsewhere, while
  // the advance continues.
  service.onClose('calls waiting for an advance', async () => {
    stopping.abort();
  });
  return running;
}

function openLineage(
  service: Service,
  stores: Pick<KeyLineageDependencies, 'keys' | 'apiKeys' | 'operators'>,
): KeyLineage {
  const { clock, logger } = service;
  const lineage = new KeyLineage({ ...stores, clock, logger });
  lineage.handleCommands();
  service.ensureIndexes(() => lineage.ensureIndexes());
  return lineage;
}

function openBackgroundWrites(service: Service): BackgroundWrites {
  const writes = new BackgroundWrites(service.logger);
  service.onClose('background writes', () => writes.settle());
  return writes;
}

function logRpcs(service: Service, logs: RequestLogRpcDependencies) {
  return [requestLogRpc(logs), erasureRpc(service, erasingLogs(logs))];
}

function openEnvironments(service: Service) {
  const collection = service.aggregates(environments);
  const environmentList = new EnvironmentStore(collection);
  const { db, clock } = service;
  const sandboxSlots = new SandboxSlotStore(db, { environmentList, clock, max: sandboxesMax });
  service.ensureIndexes(() => environmentList.ensureIndexes());
  service.ensureIndexes(() => sandboxSlots.ensureIndexes());
  const isDeleted = (environmentId: string) => service.deletion.isDeleted(environmentId);
  const restores = new Restores(db);
  const { system } = service.slices;
  return { environments: collection, environmentList, sandboxSlots, restores, system, isDeleted };
}

function openAdvances(
  service: Service,
  config: IdentityConfiguration,
  environmentCollection: AggregateCollection<Environment>,
): { workers: ClockAdvanceWorkerPool; noteLiveUse: () => void } {
  const { clock, logger } = service;
  const liveUse = new LiveUse(monotonicMs);
  service.slices.shareCount(liveUse);
  const peers = connectDueWork(service, config);
  const workers = new ClockAdvanceWorkerPool({
    environments: environmentCollection,
    peers,
    clock,
    logger,
    leaseMs: config.JUMP_LEASE_MS,
    running: new Semaphore(advancesMax),
    liveUse,
  });
  const deleteEnvironment = deletionCommand(service, connectSystems(service, config));
  service.recoverBy({
    // A restore may have brought back data of deleted environments elsewhere.
    reassert: (recovery) =>
      reassertChanged(
        environmentCollection,
        recovery,
        ({ state }, context) => deleteAgain(state, context, deleteEnvironment),
        service,
      ),
    catchUp: () => catchUpClocks(environmentCollection, { peers, clock, logger }),
  });
  environmentCollection.handle({
    recover: (_id, { tenant }) => workers.takeOver(tenant),
    commands: { deleteEnvironment },
    unskippable: {
      deleteEnvironment:
        'This command cannot be skipped: the data of the deleted environment would stay',
    },
  });
  // Closed after the server and the sweep, so that no worker starts any more.
  service.onClose('clock advances', () => workers.stop());
  const noteLiveUse = () => {
    liveUse.note();
  };
  return { workers, noteLiveUse };
}

async function deleteAgain(
  { id, deletedAt }: Environment,
  context: CallContext,
  deleteEnvironment: CommandHandler,
): Promise<StepCounts> {
  if (deletedAt === undefined) return {};
  await deleteEnvironment({} as never, { aggregateId: id, context, sequence: 1 });
  return { deleted: 1 };
}

function retireUnusedSandboxes(
  service: Service,
  stores: Pick<UnusedSandboxDependencies, 'environments' | 'environmentList' | 'apiKeys'>,
): void {
  const { clock, logger } = service;
  const worker = new UnusedSandboxWorker({ ...stores, clock, logger });
  service.every({
    name: 'check unused sandboxes',
    everyMs: checkUnusedEveryMs,
    run: (signal) => worker.run(signal),
    onOneReplica: true,
  });
}

/** The newest first. */
function openPeppers(service: Service, config: IdentityConfiguration): string[] {
  const { API_KEY_PEPPER: pepper, API_KEY_PEPPER_OLD: old } = config;
  service.dependOnSecrets([dataSecret('API_KEY_PEPPER', pepper, old)]);
  return old === undefined ? [pepper] : [pepper, old];
}

function openOperators(service: Service): AggregateCollection<Operator> {
  const operators = service.aggregates(operatorDefinition);
  service.ensureIndexes(() => ensureEmailIndex(operators));
  return operators;
}

function openSessions(service: Service, tokens: ConstructorParameters<typeof TokenStore>[1]) {
  const aggregates = service.aggregates(operatorSessions);
  const sessionList = new OperatorSessionStore(aggregates);
  service.ensureIndexes(() => sessionList.ensureIndexes());
  return { sessions: new TokenStore(aggregates, tokens), sessionList };
}

function openSecondFactors(
  service: Service,
  { DATA_KEYS: keys = [] }: IdentityConfiguration,
  stores: Pick<SecondFactorDependencies, 'operators' | 'sessionList' | 'attempts'>,
): SecondFactors {
  const { db, clock, logger } = service;
  service.dependOnSecrets(dataKeySecrets(keys));
  const dataKeys = keys.length === 0 ? undefined : new DataKeys(keys);
  const sealed = new SealedFactorStore(db, dataKeys);
  service.checkBeforeServing(() => sealed.refuseUnknownKeys());
  service.every({
    name: 'seal second factors with the newest key',
    everyMs: sealEveryMs,
    run: async (signal) => {
      const factors = await sealed.resealAll(signal);
      if (factors > 0) logger.info({ factors }, 'second factors sealed with the newest key');
    },
    onOneReplica: true,
  });
  return new SecondFactors({ ...stores, dataKeys, clock });
}

function openAttempts(service: Service): LoginAttemptStore {
  const attempts = new LoginAttemptStore(service.db, service.logger);
  service.ensureIndexes(() => attempts.ensureIndexes());
  service.every({
    name: 'forget failed log-ins',
    everyMs: deleteAttemptsEveryMs,
    run: () => attempts.deleteOlder(deletableBefore(service.clock.now())),
    onOneReplica: true,
  });
  return attempts;
}

function openAudit(service: Service, config: IdentityConfiguration): AuditStore {
  const { db, logger } = service;
  const audit = new AuditStore(db, config.AUDIT_LOG === 'stdout' ? logger : undefined);
  service.ensureIndexes(() => audit.ensureIndexes());
  service.retain({
    name: 'delete old audit entries',
    days: config.RETENTION_AUDIT_DAYS,
    deleteBatch: (before) => audit.deleteOlder(before),
  });
  return audit;
}

function openLostCalls(service: Service): LostCallStore {
  const calls = new LostCallStore(service.db, service.clock);
  service.ensureIndexes(() => calls.ensureIndexes());
  service.every({
    name: 'forget lost calls',
    everyMs: deleteLostCallsEveryMs,
    run: () => calls.deleteOld(),
    onOneReplica: true,
  });
  return calls;
}

function openRequests(service: Service, config: IdentityConfiguration): RequestStore {
  const requests = new RequestStore(service.db);
  service.ensureIndexes(() => requests.ensureIndexes());
  service.retain({
    name: 'delete old requests',
    days: config.RETENTION_REQUESTS,
    deleteBatch: (before) => requests.deleteOlder(before),
  });
  service.retain({
    name: 'delete old bodies of requests',
    days: Math.min(bodyDaysMax, config.RETENTION_REQUESTS),
    deleteBatch: (before) => requests.deleteOlderBodies(before),
  });
  return requests;
}
