import { type CallContext, StoringGate } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { Service } from '@billing/chassis/service';
import { dropTestDatabase, dropTestStream, testContext } from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import { ApiKeyStore, apiKeys } from '../api-key/api-key-store';
import { KeyLineage } from '../api-key/lineage-store';
import { openLive } from '../environment/environment';
import { EnvironmentStore, environments, liveTenant } from '../environment/environment-store';
import { operators } from '../operator/operator-store';
import { identityTestConfiguration } from '../testing/configuration';
import { createSandbox, type CreateSandboxDependencies } from './create-sandbox';
import { SandboxSlotStore } from './sandbox-slot-store';

const configuration = identityTestConfiguration();
const input = { name: 'Two years', clock: 'REAL', startsAt: undefined } as const;
const createdBy = { type: 'SYSTEM' } as const;

let service: Service;
let running: Awaited<ReturnType<Service['serve']>>;
let dependencies: CreateSandboxDependencies;
let environmentList: EnvironmentStore;
let context: CallContext;

beforeAll(async () => {
  service = await Service.open('identity', configuration);
  const { clock, db } = service;
  const keys = service.aggregates(apiKeys);
  const stored = service.aggregates(environments);
  environmentList = new EnvironmentStore(stored);
  const keyStore = new ApiKeyStore(keys, clock, [configuration.API_KEY_PEPPER]);
  dependencies = {
    environments: stored,
    sandboxSlots: new SandboxSlotStore(db, { environmentList, clock, max: 10 }),
    apiKeys: keyStore,
    lineage: new KeyLineage({
      keys,
      apiKeys: keyStore,
      operators: service.aggregates(operators),
      clock,
      logger: service.logger,
    }),
    clock,
  };
  running = await service.serve([]);
});

beforeEach(async () => {
  const tenant = liveTenant(newId());
  context = { ...testContext({ tenant }), resourceSeed: newId() };
  const place = { tenant, now: service.clock.now() };
  await dependencies.environments.within(place).insert(openLive(tenant.environmentId));
});

afterAll(async () => {
  await running.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

/** The store, with one method that fails before or after its effect. */
function failing<T extends object>(store: T, method: keyof T, when: 'BEFORE' | 'AFTER'): T {
  return new Proxy(store, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function') return value;
      const call = value.bind(target) as (...args: unknown[]) => Promise<unknown>;
      if (name !== method) return call;
      return async (...args: unknown[]) => {
        if (when === 'AFTER') await call(...args);
        throw new DomainError('unavailable', 'DATABASE_UNAVAILABLE', 'Service unavailable');
      };
    },
  });
}

test.each<[string, () => Partial<CreateSandboxDependencies>]>([
  ['the slot', () => ({ sandboxSlots: failing(dependencies.sandboxSlots, 'take', 'AFTER') })],
  ['the key', () => ({ apiKeys: failing(dependencies.apiKeys, 'issue', 'AFTER') })],
  ['the checks', () => ({ lineage: failing(dependencies.lineage, 'issueFor', 'AFTER') })],
])('a database error after %s leaves no sandbox, and a retry creates it', async (_what, broken) => {
  const ask = (faults: Partial<CreateSandboxDependencies>) =>
    createSandbox({ input, createdBy }, context, { ...dependencies, ...faults });
  const { organizationId } = context.tenant;
  await expect(ask(broken())).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await environmentList.sandboxesOf(organizationId)).toEqual([]);
  const { sandbox, key } = await ask({});
  expect((await dependencies.apiKeys.find(key))?.tenant.environmentId).toBe(sandbox.state.id);
  expect((await dependencies.apiKeys.find(key))?.state.revokedAt).toBeUndefined();
  expect(await environmentList.sandboxesOf(organizationId)).toHaveLength(1);
});

test('a creation that has too little time left after its key leaves no sandbox, and a retry creates it', async () => {
  let time = 0;
  const storing = new StoringGate(new Date(5_000), { now: () => new Date(time) });
  const slowKeys = Object.assign(Object.create(dependencies.apiKeys) as ApiKeyStore, {
    issue: async (...wanted: Parameters<ApiKeyStore['issue']>) => {
      const issued = await dependencies.apiKeys.issue(...wanted);
      time = 4_000;
      return issued;
    },
  });
  const ask = (apiKeyStore: ApiKeyStore, call: CallContext) =>
    createSandbox({ input, createdBy }, call, { ...dependencies, apiKeys: apiKeyStore });
  const { organizationId } = context.tenant;
  await expect(ask(slowKeys, { ...context, storing })).rejects.toMatchObject({
    reason: 'TOO_LATE_TO_STORE',
  });
  expect(await environmentList.sandboxesOf(organizationId)).toEqual([]);
  await ask(dependencies.apiKeys, context);
  expect(await environmentList.sandboxesOf(organizationId)).toHaveLength(1);
});
