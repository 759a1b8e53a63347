import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import type { RunningService } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testContext,
} from '@billing/chassis/testing';
import {
  ClockKind,
  type Environment,
  EnvironmentKind,
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import { start } from '../service';
import { identityTestConfiguration } from '../testing/configuration';

const configuration = identityTestConfiguration();

let clockOffsetMs = 0;
const clock = { now: () => new Date(systemClock.now().getTime() + clockOffsetMs) };

let service: RunningService;
let identity: Peer<IdentityServiceServer>;
let mongo: Awaited<ReturnType<typeof connectMongo>>;

beforeAll(async () => {
  service = await start(configuration, { clock });
  identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    address: service.address,
    service: 'test',
    withoutTenant: ['ensureOrganization', 'authenticate'],
  });
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  mongo = await connectMongo({ uri, database, service: 'test' });
});

afterAll(async () => {
  identity.close();
  await mongo.close();
  await service.stop();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

afterEach(() => {
  clockOffsetMs = 0;
});

/** A call context of the environment, as a gateway sends it. */
function within(environment: Environment) {
  return testContext({
    tenant: {
      organizationId: environment.organizationId,
      environmentId: environment.id,
      live: environment.kind === EnvironmentKind.ENVIRONMENT_KIND_LIVE,
    },
  });
}

async function anOrganization() {
  const { live, sandbox } = await identity.ensureOrganization({ name: newId() }, testContext());
  return { live: present(live), sandbox: present(sandbox) };
}

async function aKey(environment: Environment, { expiresAt }: { expiresAt?: Date } = {}) {
  const request = { name: 'Backend', scopes: [], expiresAt, createdBy: undefined };
  const { key, apiKey } = await identity.createApiKey(request, within(environment));
  return { key, apiKey: present(apiKey) };
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Nothing came back');
  return value;
}

/** Simulates a process that died between its write and its answer, after its lease has expired. */
async function dropAnswers(environment: Environment): Promise<void> {
  await mongo.db
    .collection('idempotencyRecords')
    .updateOne({ environmentId: environment.id }, { $set: { outcome: null, leasedUntil: null } });
}

describe('a key', () => {
  test('created by a crashed call is created again by the retry, with the same text', async () => {
    const { live } = await anOrganization();
    const request = {
      name: 'Backend',
      scopes: ['customers:read'],
      expiresAt: undefined,
      createdBy: undefined,
    };
    const context = { ...within(live), idempotency: { key: 'crash', requestHash: 'same' } };
    const first = await identity.createApiKey(request, context);
    await dropAnswers(live);

    expect(await identity.createApiKey(request, context)).toEqual(first);
    const replayed = await identity.createApiKey(request, context);
    expect(replayed).toEqual({ ...first, key: '' });
    const { total } = await identity.listApiKeys({ page: 1, perPage: 10 }, within(live));
    expect(total).toBe(1);
  });

  test('of a sandbox is the same for a crashed call and its retry', async () => {
    const { live } = await anOrganization();
    const request = {
      name: '',
      clock: ClockKind.CLOCK_KIND_REAL,
      startsAt: undefined,
      createdBy: undefined,
    };
    const context = { ...within(live), idempotency: { key: 'crash', requestHash: 'same' } };
    const { sandbox, key } = await identity.createSandbox(request, context);
    await dropAnswers(live);

    const repeated = await identity.createSandbox(request, context);
    expect([repeated.sandbox?.id, repeated.key]).toEqual([sandbox?.id, key]);
    const list = { page: 1, perPage: 10 };
    const { total } = await identity.listApiKeys(list, within(present(sandbox)));
    expect(total).toBe(1);
  });

  test('is listed in its environment alone, newest first, even after it is revoked or expired', async () => {
    const { live, sandbox } = await anOrganization();
    const old = await aKey(live);
    clockOffsetMs = 1;
    const expired = await aKey(live, { expiresAt: new Date(clock.now().getTime() + 60_000) });
    clockOffsetMs = 61_000;
    const newest = await aKey(live);
    const elsewhere = await aKey(sandbox);
    const revoked = await identity.revokeApiKey(
      { id: old.apiKey.id, descendants: false },
      within(live),
    );

    const list = (page: number) => identity.listApiKeys({ page, perPage: 2 }, within(live));
    expect(await list(1)).toEqual({ apiKeys: [newest.apiKey, expired.apiKey], total: 3 });
    expect(await list(2)).toEqual({ apiKeys: [revoked.apiKey], total: 3 });
    expect(await list(3)).toEqual({ apiKeys: [], total: 3 });
    const others = await identity.listApiKeys({ page: 1, perPage: 100 }, within(sandbox));
    expect(others).toEqual({ apiKeys: [elsewhere.apiKey], total: 1 });
  });

  test.each([
    { page: 0, perPage: 1 },
    { page: 1, perPage: 101 },
  ])('is not listed on page %j', async (wanted) => {
    const { live } = await anOrganization();
    await expect(identity.listApiKeys(wanted, within(live))).rejects.toMatchObject({
      kind: 'invalid_input',
    });
  });

  test('is written once for all its uses of a minute', async () => {
    const { live } = await anOrganization();
    const { key, apiKey } = await aKey(live);
    const versionOf = async () => {
      const document = await mongo.db
        .collection<{ _id: string; version: number }>('apiKeys')
        .findOne({ _id: apiKey.id });
      return Number(document?.version);
    };
    const lastUsedAt = async () => {
      const { apiKeys } = await identity.listApiKeys({ page: 1, perPage: 1 }, within(live));
      return apiKeys[0]?.lastUsedAt;
    };
    const useAtOnce = () =>
      Promise.all(Array.from({ length: 20 }, () => identity.authenticate({ key }, testContext())));

    expect(await lastUsedAt()).toBeUndefined();
    const before = clock.now();
    await useAtOnce();
    const first = await eventually(async () => present(await lastUsedAt()));
    expect(first.getTime()).toBeGreaterThanOrEqual(before.getTime());
    clockOffsetMs = 50_000;
    await useAtOnce();
    clockOffsetMs = 61_000;
    await useAtOnce();
    await eventually(async () => {
      expect(await lastUsedAt()).not.toEqual(first);
    });
    expect(await versionOf()).toBe(3);
  });
});
