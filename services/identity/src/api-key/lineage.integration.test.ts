import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { type RunningService, Service } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testContext,
} from '@billing/chassis/testing';
import { DomainError } from '@billing/kernel/domain-error';
import { KeyCreatorKind } from '@billing/proto/billing/identity/v1/identity';
import { openLive } from '../environment/environment';
import { environments, liveTenant } from '../environment/environment-store';
import { operators } from '../operator/operator-store';
import { identityTestConfiguration } from '../testing/configuration';
import type { ApiKey } from './api-key';
import { apiKeyHandlers } from './api-key-rpc';
import { ApiKeyStore, apiKeys } from './api-key-store';
import { KeyLineage } from './lineage-store';

const configuration = identityTestConfiguration();
const request = { name: 'Child', scopes: [], expiresAt: undefined };

let service: Service;
let running: RunningService;
let keys: AggregateCollection<ApiKey>;
let store: ApiKeyStore;
let createApiKey: ReturnType<typeof apiKeyHandlers>['createApiKey'];
let context: CallContext;
// Looks at creators that succeed before all others fail; undefined: none fails.
let looksLeft: number | undefined;

beforeAll(async () => {
  service = await Service.open('identity', configuration);
  const { clock, logger } = service;
  keys = service.aggregates(apiKeys);
  const stored = service.aggregates(environments);
  store = new ApiKeyStore(keys, clock, [configuration.API_KEY_PEPPER]);
  const watched = Object.assign(Object.create(store) as ApiKeyStore, {
    findById: async (...wanted: Parameters<ApiKeyStore['findById']>) => {
      if (looksLeft === 0) {
        throw new DomainError('unavailable', 'DATABASE_UNAVAILABLE', 'Service unavailable');
      }
      if (looksLeft !== undefined) looksLeft -= 1;
      return store.findById(...wanted);
    },
  });
  const lineage = new KeyLineage({
    ...{ keys, apiKeys: watched, operators: service.aggregates(operators), clock, logger },
  });
  lineage.handleCommands();
  const calls = { apiKeys: store, apiKeyUses: {} as never, noteLiveUse: () => undefined };
  ({ createApiKey } = apiKeyHandlers({ ...calls, lineage, environments: stored, clock }));
  running = await service.serve([]);
  const tenant = liveTenant(newId());
  context = testContext({ tenant });
  await stored.within({ tenant, now: clock.now() }).insert(openLive(tenant.environmentId));
});

afterEach(() => {
  looksLeft = undefined;
});

afterAll(async () => {
  await running.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

async function aParent() {
  const { apiKey } = await createApiKey(
    { ...request, name: 'Parent', createdBy: undefined },
    call(),
  );
  return apiKey?.id ?? '';
}

const call = () => ({ ...testContext({ tenant: context.tenant }), resourceSeed: newId() });

const createdBy = (id: string) => ({ kind: KeyCreatorKind.KEY_CREATOR_KIND_KEY, id });

const childrenOf = async (id: string) => {
  const { data } = await store.list(context, { page: 1, perPage: 100 });
  return data.filter(({ state }) => state.createdBy.type === 'KEY' && state.createdBy.id === id);
};

test('a key is answered although its creator cannot be looked at once more', async () => {
  const parent = await aParent();
  looksLeft = 1;
  const { key, apiKey } = await createApiKey({ ...request, createdBy: createdBy(parent) }, call());
  looksLeft = undefined;
  expect((await store.find(key))?.state.id).toBe(apiKey?.id);
  expect(await childrenOf(parent)).toHaveLength(1);
});

test('a key whose creator was revoked at the same time is revoked once the creator can be looked at', async () => {
  const parent = await aParent();
  looksLeft = 1;
  await createApiKey({ ...request, createdBy: createdBy(parent) }, call());
  await store.revoke(parent, context);
  looksLeft = undefined;
  await eventually(async () => {
    const [child] = await childrenOf(parent);
    expect(child?.state.revokedAt).toBeDefined();
  });
});

test('a key whose creator is valid stays so after its command', async () => {
  const parent = await aParent();
  const { apiKey } = await createApiKey({ ...request, createdBy: createdBy(parent) }, call());
  await eventually(async () => {
    const document = await keys.documents.findOne({ _id: apiKey?.id ?? '' });
    expect(document).toMatchObject({ outbox: [], pendingSince: null, revokedAt: null });
  });
});
