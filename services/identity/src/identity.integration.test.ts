import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import { type RunningService, Service } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  eventually,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import {
  type EventLogServiceServer,
  EventLogServiceService,
} from '@billing/proto/billing/event/v1/event_log';
import {
  ClockKind,
  type Environment,
  EnvironmentKind,
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import { formatKey } from './api-key/format';
import { start } from './service';
import { identityTestConfiguration } from './testing/configuration';

const configuration = identityTestConfiguration();

// In the role of a gateway: receives the keys that it must evict.
const gatewayConfiguration = testServiceConfiguration('gateway');
const heard: { subject: string; data: string }[] = [];

let clockOffsetMs = 0;
const clock = { now: () => new Date(systemClock.now().getTime() + clockOffsetMs) };

let service: RunningService;
let gateway: RunningService;
let identity: Peer<IdentityServiceServer>;
let eventLog: Peer<EventLogServiceServer>;

beforeAll(async () => {
  service = await start(configuration, { clock });
  identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    address: service.address,
    service: 'test',
    withoutTenant: ['ensureOrganization', 'authenticate'],
  });
  eventLog = connectPeer<EventLogServiceServer>(EventLogServiceService, {
    address: service.address,
    service: 'test',
    withoutTenant: ['readEventLog'],
  });
  const opened = await Service.open('gateway', gatewayConfiguration);
  opened.consume({
    durable: 'gateway',
    filterSubjects: ['identity.api_key.revoked'],
    handle: async ({ subject, data }) => {
      heard.push({ subject, data });
    },
  });
  gateway = await opened.serve([]);
});

afterAll(async () => {
  identity.close();
  eventLog.close();
  await gateway.stop();
  await service.stop();
  await dropTestDatabase(configuration, gatewayConfiguration);
  await dropTestStream(configuration);
});

afterEach(() => {
  clockOffsetMs = 0;
});

/** A call context of the environment, as a gateway sends it. */
function within(environment: Environment, scopes: readonly string[] = ['*']) {
  const context = testContext({
    tenant: {
      organizationId: environment.organizationId,
      environmentId: environment.id,
      live: environment.kind === EnvironmentKind.ENVIRONMENT_KIND_LIVE,
      manualClock: environment.clock === ClockKind.CLOCK_KIND_MANUAL,
    },
  });
  return { ...context, scopes };
}

async function anOrganization(name = `Organization ${newId()}`) {
  const { organizationId, live, sandbox } = await identity.ensureOrganization(
    { name },
    testContext(),
  );
  return { organizationId, live: present(live), sandbox: present(sandbox) };
}

async function aKey(
  environment: Environment,
  { scopes = [], expiresAt }: { scopes?: string[]; expiresAt?: Date } = {},
) {
  const request = { name: 'Backend', scopes, expiresAt, createdBy: undefined };
  const { key, apiKey } = await identity.createApiKey(request, within(environment));
  return { key, apiKey: present(apiKey) };
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Nothing came back');
  return value;
}

async function databaseOfIdentity() {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  return connectMongo({ uri, database, service: 'test' });
}

const refused = {
  kind: 'unauthenticated',
  reason: 'INVALID_API_KEY',
  message: 'Invalid or expired API key',
};

describe('an organization', () => {
  test('is created once, with its live environment and a sandbox, by any number of concurrent calls', async () => {
    const name = `Acme ${newId()}`;
    const answers = await Promise.all(Array.from({ length: 20 }, () => anOrganization(name)));

    const [first] = answers;
    const identities = answers.map(({ organizationId, live, sandbox }) => [
      organizationId,
      live.id,
      sandbox.id,
    ]);
    expect(new Set(identities.map(String)).size).toBe(1);
    expect(first?.live).toMatchObject({
      kind: EnvironmentKind.ENVIRONMENT_KIND_LIVE,
      clock: ClockKind.CLOCK_KIND_REAL,
      organizationId: first?.organizationId,
    });
    expect(first?.sandbox).toMatchObject({
      kind: EnvironmentKind.ENVIRONMENT_KIND_SANDBOX,
      clock: ClockKind.CLOCK_KIND_REAL,
      organizationId: first?.organizationId,
    });

    const mongo = await databaseOfIdentity();
    const organizationId = first?.organizationId;
    expect(await mongo.db.collection('organizations').countDocuments({ organizationId })).toBe(1);
    expect(await mongo.db.collection('environments').countDocuments({ organizationId })).toBe(2);
    await mongo.close();
  });

  test('that was created in part is completed by the next call', async () => {
    const name = `Half ${newId()}`;
    const whole = await anOrganization(name);
    const mongo = await databaseOfIdentity();
    // The organization is the last document that such a call stores.
    for (const [collection, _id] of [
      ['organizations', whole.organizationId],
      ['environments', whole.sandbox.id],
    ] as const) {
      const documents = mongo.db.collection<{ _id: string }>(collection);
      expect(await documents.deleteOne({ _id })).toMatchObject({ deletedCount: 1 });
    }
    await mongo.close();

    expect((await anOrganization(name)).sandbox.id).toBe(whole.sandbox.id);
    await expect(identity.getClock({}, within(whole.sandbox))).resolves.toBeDefined();
  });

  test('of another name is a separate organization', async () => {
    const [first, second] = await Promise.all([anOrganization(), anOrganization()]);
    expect(first.organizationId).not.toBe(second.organizationId);
    expect(first.live.id).not.toBe(second.live.id);
  });

  test('needs a name', async () => {
    await expect(identity.ensureOrganization({ name: ' ' }, testContext())).rejects.toMatchObject({
      kind: 'invalid_input',
      fields: { name: ['Required'] },
    });
  });
});

describe('a key', () => {
  test('opens its own environment, and no other', async () => {
    const { live, sandbox } = await anOrganization();
    const ofLive = await aKey(live);
    const ofSandbox = await aKey(sandbox, { scopes: ['customers:read'] });

    expect(ofLive.key).toMatch(/^billing_live_[0-9A-Za-z]{49}$/);
    expect(ofSandbox.key).toMatch(/^billing_test_[0-9A-Za-z]{49}$/);
    expect(ofLive.apiKey).toMatchObject({
      name: 'Backend',
      prefix: 'billing_live_',
      last4: ofLive.key.slice(-4),
      scopes: [],
      expiresAt: undefined,
      revokedAt: undefined,
    });
    expect(await identity.authenticate({ key: ofLive.key }, testContext())).toMatchObject({
      environment: { id: live.id, organizationId: live.organizationId },
      apiKeyId: ofLive.apiKey.id,
      scopes: [],
    });
    expect(await identity.authenticate({ key: ofSandbox.key }, testContext())).toMatchObject({
      environment: { id: sandbox.id },
      apiKeyId: ofSandbox.apiKey.id,
      scopes: ['customers:read'],
    });
  });

  test('is stored only as a hash', async () => {
    const { live } = await anOrganization();
    const { key } = await aKey(live);
    const mongo = await databaseOfIdentity();
    const documents = await mongo.db.collection('apiKeys').find().toArray();
    await mongo.close();

    expect(documents.length).toBeGreaterThan(0);
    expect(JSON.stringify(documents)).not.toContain(key.slice('billing_live_'.length, -6));
  });

  test('that was never created is refused', async () => {
    const unknown = formatKey('LIVE', new Uint8Array(32).fill(7));
    await expect(identity.authenticate({ key: unknown }, testContext())).rejects.toMatchObject(
      refused,
    );
  });

  test('with a wrong character is refused', async () => {
    const { live } = await anOrganization();
    const { key } = await aKey(live);
    const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    await expect(identity.authenticate({ key: mistyped }, testContext())).rejects.toMatchObject(
      refused,
    );
  });

  test.each([
    ['empty', ''],
    ['a prefix alone', 'billing_live_'],
    ['very long', 'billing_live_'.repeat(1000)],
  ])('that is %s is refused', async (_case, key) => {
    await expect(identity.authenticate({ key }, testContext())).rejects.toMatchObject(refused);
  });

  test('is refused from the instant of its expiry on, in real time', async () => {
    const { live } = await anOrganization();
    const expiresAt = new Date(clock.now().getTime() + 60_000);
    const { key } = await aKey(live, { expiresAt });

    const answer = await identity.authenticate({ key }, testContext());
    expect(answer.expiresAt).toEqual(expiresAt);
    clockOffsetMs = 60_000;
    await expect(identity.authenticate({ key }, testContext())).rejects.toMatchObject(refused);
  });

  test('is refused as soon as it is revoked, and gateways are notified once', async () => {
    const { live } = await anOrganization();
    const { key, apiKey } = await aKey(live);

    const revoked = await identity.revokeApiKey(
      { id: apiKey.id, descendants: false },
      within(live),
    );
    await expect(identity.authenticate({ key }, testContext())).rejects.toMatchObject(refused);
    const again = await identity.revokeApiKey({ id: apiKey.id, descendants: false }, within(live));

    expect(revoked.apiKey?.revokedAt).toBeInstanceOf(Date);
    expect(again).toEqual(revoked);
    const message = await eventually(() =>
      present(heard.find(({ data }) => data.includes(apiKey.id))),
    );
    expect(message.subject).toBe('identity.api_key.revoked');
    expect(JSON.parse(message.data)).toMatchObject({
      id: `${apiKey.id}:1`,
      type: 'billing.api_key.revoked',
      environmentid: live.id,
      data: { apiKeyId: apiKey.id, environmentId: live.id },
    });
    const { entries } = await eventLog.readEventLog(
      {
        afterPosition: '',
        insertedAfter: undefined,
        limit: 1000,
        reader: '',
        passedPosition: '',
      },
      testContext(),
    );
    expect(entries.filter(({ id }) => id.startsWith(apiKey.id))).toHaveLength(1);
  });

  test.each([['of another environment'], ['that was never created'], ['that is no id']])(
    '%s cannot be revoked',
    async (which) => {
      const [mine, other] = await Promise.all([anOrganization(), anOrganization()]);
      const { key, apiKey } = await aKey(other.live);
      const id =
        { 'of another environment': apiKey.id, 'that was never created': newId() }[which] ?? 'x';

      await expect(
        identity.revokeApiKey({ id, descendants: false }, within(mine.live)),
      ).rejects.toMatchObject({
        kind: 'not_found',
        message: 'API key not found',
      });
      await expect(identity.authenticate({ key }, testContext())).resolves.toBeDefined();
    },
  );

  test('is created only with scopes of its creator', async () => {
    const { live } = await anOrganization();
    const asReader = within(live, ['customers:read', 'api-keys:write']);
    const ask = (scopes: string[]) =>
      identity.createApiKey(
        { name: 'Less', scopes, expiresAt: undefined, createdBy: undefined },
        asReader,
      );

    await expect(ask(['customers:read'])).resolves.toMatchObject({
      apiKey: { scopes: ['customers:read'] },
    });
    for (const scopes of [['customers:write'], []]) {
      await expect(ask(scopes)).rejects.toMatchObject({
        kind: 'permission',
        message: 'Insufficient permissions',
      });
    }
  });

  test('is not created for a caller without scopes', async () => {
    const { live } = await anOrganization();
    for (const scopes of [['customers:read'], []]) {
      const request = { name: 'Key', scopes, expiresAt: undefined, createdBy: undefined };
      await expect(identity.createApiKey(request, within(live, []))).rejects.toMatchObject({
        kind: 'permission',
      });
    }
  });

  test('is refused with a violation for each invalid field', async () => {
    const { live } = await anOrganization();
    const request = { name: '', scopes: ['all'], expiresAt: new Date(0), createdBy: undefined };
    await expect(identity.createApiKey(request, within(live))).rejects.toMatchObject({
      kind: 'invalid_input',
      fields: {
        name: ['Required'],
        scopes: ['0: Invalid scope'],
        expiresAt: ['Must be in the future'],
      },
    });
  });
});

describe('a sandbox', () => {
  const startsAt = new Date('2026-01-17T00:00:00.000Z');
  const manual = {
    name: 'Tests',
    clock: ClockKind.CLOCK_KIND_MANUAL,
    startsAt,
    createdBy: undefined,
  };

  test('with a manual clock stands at its start, and its key opens it', async () => {
    const { live } = await anOrganization();
    const { sandbox, key } = await identity.createSandbox(manual, within(live));

    expect(sandbox).toMatchObject({
      organizationId: live.organizationId,
      kind: EnvironmentKind.ENVIRONMENT_KIND_SANDBOX,
      name: 'Tests',
      clock: ClockKind.CLOCK_KIND_MANUAL,
      now: startsAt,
    });
    expect(key).toMatch(/^billing_test_/);
    const { environment, scopes } = await identity.authenticate({ key }, testContext());
    expect(environment).toEqual(sandbox);
    expect(scopes).toEqual([]);
    expect(await identity.getClock({}, within(present(sandbox)))).toEqual({
      clock: ClockKind.CLOCK_KIND_MANUAL,
      now: startsAt,
    });
  });

  test('follows real time unless another clock is requested', async () => {
    const { live } = await anOrganization();
    const request = {
      name: '',
      clock: ClockKind.CLOCK_KIND_UNSPECIFIED,
      startsAt: undefined,
      createdBy: undefined,
    };
    const { sandbox } = await identity.createSandbox(request, within(live));

    clockOffsetMs = 3_600_000;
    const before = clock.now().getTime();
    const { clock: kind, now } = await identity.getClock({}, within(present(sandbox)));
    expect(kind).toBe(ClockKind.CLOCK_KIND_REAL);
    expect(present(now).getTime()).toBeGreaterThanOrEqual(before);
    expect(present(now).getTime()).toBeLessThanOrEqual(clock.now().getTime());
  });

  test('is created by live keys only', async () => {
    const { sandbox } = await anOrganization();
    await expect(identity.createSandbox(manual, within(sandbox))).rejects.toMatchObject({
      kind: 'permission',
      message: 'Insufficient permissions',
    });
  });

  test('with a real clock accepts no start', async () => {
    const { live } = await anOrganization();
    const request = { ...manual, clock: ClockKind.CLOCK_KIND_REAL };
    await expect(identity.createSandbox(request, within(live))).rejects.toMatchObject({
      fields: { startsAt: ['Requires a manual clock'] },
    });
  });
});

describe('a clock', () => {
  test.each(['live', 'sandbox'] as const)(
    'of a %s environment on real time cannot be advanced',
    async (which) => {
      const organization = await anOrganization();
      const to = new Date('2036-01-01T00:00:00.000Z');
      await expect(
        identity.advanceClock({ to }, within(organization[which])),
      ).rejects.toMatchObject({
        kind: 'failed_precondition',
        message: 'Only a sandbox with a manual clock can be advanced',
      });
    },
  );

  test('needs a target to advance', async () => {
    const { sandbox } = await anOrganization();
    await expect(identity.advanceClock({ to: undefined }, within(sandbox))).rejects.toMatchObject({
      fields: { to: ['Required'] },
    });
  });
});
