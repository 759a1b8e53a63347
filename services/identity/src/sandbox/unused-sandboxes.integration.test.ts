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
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import { start } from '../service';
import { identityTestConfiguration } from '../testing/configuration';

const configuration = identityTestConfiguration();
const dayMs = 24 * 60 * 60_000;

let offsetMs = 0;
const clock = { now: () => new Date(systemClock.now().getTime() + offsetMs) };
let services: RunningService[] = [];
let identity: Peer<IdentityServiceServer>;

/**
 * Starts identity, whose check of unused sandboxes runs immediately, that many days after the tests
 * began.
 */
async function startAfter(days: number, replicas = 1): Promise<void> {
  await stopAll();
  offsetMs = days * dayMs;
  services = await Promise.all(
    Array.from({ length: replicas }, () => start(configuration, { clock })),
  );
  identity = connectPeer<IdentityServiceServer>(IdentityServiceService, {
    address: services[0]?.address ?? '',
    service: 'test',
    withoutTenant: ['ensureOrganization', 'authenticate'],
  });
}

async function stopAll(): Promise<void> {
  if (services.length === 0) return;
  identity.close();
  await Promise.all(services.map((service) => service.stop()));
  services = [];
}

afterAll(async () => {
  await stopAll();
  await dropTestDatabase(configuration);
  await dropTestStream(configuration);
});

function contextOf({ id, organizationId }: Environment) {
  return testContext({ tenant: { environmentId: id, organizationId, live: true } });
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('Nothing came back');
  return value;
}

async function anOrganization() {
  const made = await identity.ensureOrganization({ name: newId() }, testContext());
  return { live: present(made.live), first: present(made.sandbox) };
}

async function aSandbox(live: Environment) {
  const request = { name: '', clock: ClockKind.CLOCK_KIND_REAL, startsAt: undefined };
  const made = await identity.createSandbox({ ...request, createdBy: undefined }, contextOf(live));
  return { id: present(made.sandbox).id, key: made.key, environment: present(made.sandbox) };
}

/** Due time of each listed sandbox's deletion, by id; null: not announced. */
async function notices(live: Environment): Promise<Map<string, Date | null>> {
  const { sandboxes } = await identity.listSandboxes({ page: 1, perPage: 100 }, contextOf(live));
  return new Map(
    sandboxes.map(({ environment }) => [
      present(environment).id,
      present(environment).deletesAt ?? null,
    ]),
  );
}

async function deletionsOf(id: string) {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = configuration;
  const mongo = await connectMongo({ uri, database, service: 'test' });
  const document = await mongo.db
    .collection<{ _id: string; deletedAt: Date | null; outbox: unknown[] }>('environments')
    .findOne({ _id: id });
  await mongo.close();
  return { isDeleted: document?.deletedAt instanceof Date, commands: document?.outbox.length };
}

test('unused sandboxes are announced, kept after a use, and deleted otherwise; the first one never', async () => {
  await startAfter(0);
  const { live, first } = await anOrganization();
  const unused = await aSandbox(live);
  const rescued = await aSandbox(live);

  await startAfter(89);
  expect([...(await notices(live)).values()]).toEqual([null, null, null]);

  // Two replicas check at the same moment.
  await startAfter(91, 2);
  await eventually(async () => {
    const announced = await notices(live);
    expect(announced.get(unused.id)).toBeInstanceOf(Date);
    expect(announced.get(rescued.id)).toBeInstanceOf(Date);
    expect(announced.get(first.id)).toBeNull();
  });
  const deletesAt = present((await notices(live)).get(unused.id) ?? undefined).getTime();
  expect(Math.abs(deletesAt - clock.now().getTime() - 14 * dayMs)).toBeLessThan(dayMs);

  await identity.authenticate({ key: rescued.key }, testContext());
  await eventually(async () => {
    expect((await notices(live)).get(rescued.id)).toBeNull();
  });

  await startAfter(104);
  expect((await notices(live)).get(unused.id)).toBeInstanceOf(Date);

  await startAfter(106, 2);
  await eventually(async () => {
    expect([...(await notices(live)).keys()].toSorted()).toEqual([first.id, rescued.id].toSorted());
  });
  expect(await deletionsOf(unused.id)).toEqual({ isDeleted: true, commands: 1 });
  await expect(identity.authenticate({ key: unused.key }, testContext())).rejects.toMatchObject({
    reason: 'INVALID_API_KEY',
  });
  await identity.authenticate({ key: rescued.key }, testContext());
});
