import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openActivity } from '@billing/chassis/activity';
import type { AggregateDefinition } from '@billing/chassis/aggregate';
import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { derivedId, newId } from '@billing/chassis/ids';
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
import { unchanged } from '@billing/kernel/transition';
import {
  ClockKind,
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import type { WorkClass } from './jump';
import { requestJump } from './sandbox-clock';
import { start } from './service';
import { environments } from './store';

const dayMs = 24 * 3_600_000;
const startsAt = new Date('2026-01-01T00:00:00.000Z');
const january = (day: number) => new Date(startsAt.getTime() + (day - 1) * dayMs);

/** Work of the services around identity: when it is due it runs, and hands what is left of it to the other service. */
interface Baton {
  readonly id: string;
  readonly name: string;
  readonly dueAt: Date | undefined;
  readonly workClass: WorkClass;
  /** Where the baton goes after this run, each time to the other service. */
  readonly hops: readonly Hop[];
  /** When it ran: by its own time, and by the clock of the sandbox. */
  readonly runs: readonly Run[];
}

interface Hop {
  readonly afterMs: number;
  readonly workClass: WorkClass;
}

interface Run {
  readonly dueAt: Date;
  readonly clock: Date;
}

const batons: AggregateDefinition<Baton> = {
  collection: 'batons',
  aggregate: 'baton',
  resource: 'Baton',
  toDocument: ({ name, dueAt, workClass, hops, runs }) => ({
    name,
    batonDueAt: dueAt ?? null,
    workClass,
    hops,
    runs,
  }),
  fromDocument: ({ _id, name, batonDueAt, workClass, hops, runs }) => ({
    id: _id,
    name: name as string,
    dueAt: (batonDueAt as Date | null) ?? undefined,
    workClass: workClass as WorkClass,
    hops: hops as Hop[],
    runs: runs as Run[],
  }),
  dueAt: ({ dueAt, workClass }) => (dueAt === undefined ? undefined : { at: dueAt, workClass }),
};

/** A running service with batons, and what a test may do to it. */
interface BatonService {
  readonly running: RunningService;
  readonly collection: AggregateCollection<Baton>;
}

const folder = mkdtemp(join(tmpdir(), 'identity-'));
const names = [
  'checkout',
  'subscription',
  'customer',
  'catalog',
  'discount',
  'metering',
  'notifier',
] as const;
const configurations = new Map(names.map((name) => [name, testServiceConfiguration(name)]));
const addressOf = async (name: string) => `unix:${join(await folder, `${name}.sock`)}`;
const identityConfiguration = testServiceConfiguration('identity');

// Opened by a test that wants work to be under way for a while.
let gate: Promise<void> = Promise.resolve();
let runsBegun = 0;

const services = new Map<string, BatonService>();
let first: RunningService;
let second: RunningService;
let identity: Peer<IdentityServiceServer>;

async function startBatonService(name: (typeof names)[number]): Promise<void> {
  const configuration = configurations.get(name);
  if (configuration === undefined) throw new Error(`No configuration of ${name}`);
  const service = await Service.open(name, {
    ...configuration,
    GRPC_LISTEN: await addressOf(name),
  });
  const collection = service.aggregates(batons);
  collection.handle({
    wake: async (id, context) => {
      runsBegun += 1;
      await gate;
      await run(collection, id, context);
    },
    commands: { pass: (baton: never, { context }) => receive(name, baton, context) },
  });
  services.set(name, { running: await service.serve([]), collection });
}

/** Runs a baton that is due and sends it on by a command, as a service of the system does. */
async function run(
  collection: AggregateCollection<Baton>,
  id: string,
  context: CallContext,
): Promise<void> {
  const { now: clock } = await identity.getClock({}, context);
  await collection.within(context).mutate(id, (baton) => {
    const { dueAt, hops } = baton;
    if (dueAt === undefined || clock === undefined) return unchanged(baton);
    const state = { ...baton, dueAt: undefined, runs: [...baton.runs, { dueAt, clock }] };
    const [next, ...rest] = hops;
    if (next === undefined) return { state, events: [], commands: [] };
    const passed = {
      id: derivedId(id, 'next'),
      name: baton.name,
      dueAt: new Date(dueAt.getTime() + next.afterMs),
      workClass: next.workClass,
      hops: rest,
    };
    return { state, events: [], commands: [{ type: 'pass', payload: passed }] };
  });
}

/** The other service gets what the first one's outbox delivers. */
async function receive(
  from: string,
  baton: Omit<Baton, 'runs'>,
  context: CallContext,
): Promise<void> {
  const to = services.get(from === 'checkout' ? 'subscription' : 'checkout');
  if (to === undefined) throw new Error('The other service does not run');
  await to.collection
    .within(context)
    .insert({ state: { ...baton, runs: [] }, events: [], commands: [] });
}

async function startIdentity(): Promise<RunningService> {
  return start({
    ...identityConfiguration,
    API_KEY_PEPPER: 'a pepper of at least 32 characters',
    JUMP_LEASE_MS: 2_000,
    PASSWORD_HASH_COST: 10,
    SHUTDOWN_GRACE_MS: 2_000,
    CUSTOMER_ADDRESS: await addressOf('customer'),
    CATALOG_ADDRESS: await addressOf('catalog'),
    DISCOUNT_ADDRESS: await addressOf('discount'),
    CHECKOUT_ADDRESS: await addressOf('checkout'),
    SUBSCRIPTION_ADDRESS: await addressOf('subscription'),
    METERING_ADDRESS: await addressOf('metering'),
    NOTIFIER_ADDRESS: await addressOf('notifier'),
  });
}

function connectIdentity(address: string): Peer<IdentityServiceServer> {
  return connectPeer<IdentityServiceServer>(IdentityServiceService, {
    address,
    service: 'test',
    withoutTenant: ['ensureOrganization', 'authenticate'],
  });
}

beforeAll(async () => {
  for (const name of names) await startBatonService(name);
  first = await startIdentity();
  second = await startIdentity();
  identity = connectIdentity(first.address);
});

afterAll(async () => {
  identity.close();
  await Promise.all([first.stop(), second.stop()]);
  for (const { running } of services.values()) await running.stop();
  await dropTestDatabase(identityConfiguration, ...configurations.values());
  await dropTestStream(identityConfiguration);
  await rm(await folder, { recursive: true });
});

/** A sandbox with a manual clock, as its tenant. */
async function aSandbox(): Promise<Tenant> {
  const { live } = await identity.ensureOrganization({ name: newId() }, testContext());
  const { id: liveId = '', organizationId = '' } = live ?? {};
  const { sandbox } = await identity.createSandbox(
    { name: '', clock: ClockKind.CLOCK_KIND_MANUAL, startsAt },
    testContext({ tenant: { environmentId: liveId, organizationId, live: true } }),
  );
  return { organizationId, environmentId: sandbox?.id ?? '', live: false, manualClock: true };
}

function contextOf(tenant: Tenant, deadlineMs?: number): CallContext {
  return testContext({
    tenant,
    now: startsAt,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
}

async function begin(
  tenant: Tenant,
  baton: Partial<Baton>,
  service: (typeof names)[number] = 'checkout',
): Promise<void> {
  const state: Baton = {
    id: newId(),
    name: 'baton',
    dueAt: january(2),
    workClass: 'RENEWAL',
    hops: [],
    runs: [],
    ...baton,
  };
  const { collection } = serviceOf(service);
  await collection.within(contextOf(tenant)).insert({ state, events: [], commands: [] });
}

function serviceOf(name: string): BatonService {
  const service = services.get(name);
  if (service === undefined) throw new Error(`${name} does not run`);
  return service;
}

/** Every run of the environment's batons, in the order of their due times. */
async function runsOf(tenant: Tenant): Promise<(Run & { name: string })[]> {
  const all: (Run & { name: string })[] = [];
  for (const { collection } of services.values()) {
    const { data } = await collection.within(contextOf(tenant)).list({ page: 1, perPage: 1000 });
    for (const { state } of data)
      all.push(...state.runs.map((one) => ({ ...one, name: state.name })));
  }
  return all.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime());
}

async function timeOf(tenant: Tenant): Promise<Date | undefined> {
  const { now } = await identity.getClock({}, contextOf(tenant));
  return now;
}

/** Holds all work up until the returned function is called. */
function closeGate(): () => void {
  let open: () => void = () => undefined;
  gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return open;
}

const hop = (afterDays: number, workClass: WorkClass = 'RENEWAL'): Hop => ({
  afterMs: afterDays * dayMs,
  workClass,
});

describe('advancing a clock', () => {
  test('runs what falls due on the way at its own instant, in whichever service it lies', async () => {
    const tenant = await aSandbox();
    await begin(tenant, { hops: [hop(3), hop(0), hop(5), hop(20)] });
    await begin(tenant, { dueAt: january(4), hops: [hop(1)] }, 'subscription');

    const answer = await identity.advanceClock({ to: january(15) }, contextOf(tenant));

    expect(answer).toEqual({ now: january(15), processed: 6 });
    const runs = await runsOf(tenant);
    expect(runs.map(({ dueAt }) => dueAt)).toEqual([2, 4, 5, 5, 5, 10].map(january));
    for (const { dueAt, clock } of runs) expect(clock).toEqual(dueAt);
    expect(await timeOf(tenant)).toEqual(january(15));
  });

  test('takes a sandbox through more than a year of renewals', async () => {
    const tenant = await aSandbox();
    const months = 14;
    await begin(tenant, { hops: Array.from({ length: months }, () => hop(30)) });

    const to = january(2 + 30 * months);
    const { processed } = await identity.advanceClock({ to }, contextOf(tenant));

    expect(processed).toBe(months + 1);
    const runs = await runsOf(tenant);
    expect(runs).toHaveLength(months + 1);
    for (const { dueAt, clock } of runs) expect(clock).toEqual(dueAt);
  });

  test('leaves other environments alone', async () => {
    const [tenant, other] = [await aSandbox(), await aSandbox()];
    await begin(other, {});

    const { processed } = await identity.advanceClock({ to: january(9) }, contextOf(tenant));

    expect(processed).toBe(0);
    expect(await runsOf(other)).toEqual([]);
    expect(await timeOf(other)).toEqual(startsAt);
  });

  test('to the present time runs what is due and waits for quiet', async () => {
    const tenant = await aSandbox();
    await begin(tenant, { dueAt: startsAt, hops: [hop(0), hop(0)] });

    const answer = await identity.advanceClock({ to: startsAt }, contextOf(tenant));

    expect(answer).toEqual({ now: startsAt, processed: 3 });
  });

  test('back is refused under `to`', async () => {
    const tenant = await aSandbox();
    await identity.advanceClock({ to: january(3) }, contextOf(tenant));
    await expect(
      identity.advanceClock({ to: january(2) }, contextOf(tenant)),
    ).rejects.toMatchObject({ kind: 'invalid_input', fields: { to: [expect.any(String)] } });
    expect(await timeOf(tenant)).toEqual(january(3));
  });

  test('in parallel calls at both replicas waits for the calls before', async () => {
    const tenant = await aSandbox();
    const there = connectIdentity(second.address);
    await begin(tenant, { hops: [hop(3), hop(3), hop(3)] });

    const targets = [9, 5, 9, 7, 5, 9].map(january);
    const answers = await Promise.all(
      targets.map((to, index) =>
        (index % 2 === 0 ? identity : there).advanceClock({ to }, contextOf(tenant)),
      ),
    );
    there.close();

    for (const [index, { now }] of answers.entries()) {
      expect(now?.getTime()).toBeGreaterThanOrEqual(targets[index]?.getTime() ?? Infinity);
    }
    expect(await timeOf(tenant)).toEqual(january(9));
    const runs = await runsOf(tenant);
    expect(runs.map(({ dueAt }) => dueAt)).toEqual([2, 5, 8].map(january));
    for (const { dueAt, clock } of runs) expect(clock).toEqual(dueAt);
  });

  test('outlives the call that asked for it, and the same call again joins it', async () => {
    const tenant = await aSandbox();
    await begin(tenant, { hops: [hop(3)] });
    const open = closeGate();

    const to = january(9);
    await expect(identity.advanceClock({ to }, contextOf(tenant, 300))).rejects.toMatchObject({
      name: 'DeadlineExceededError',
    });
    const joined = identity.advanceClock({ to }, contextOf(tenant));
    open();

    expect(await joined).toEqual({ now: to, processed: 2 });
    expect(await runsOf(tenant)).toHaveLength(2);
  });

  test('waits for a service that is away, for as long as it is', async () => {
    const tenant = await aSandbox();
    await begin(tenant, { hops: [hop(3), hop(3)] });
    await serviceOf('notifier').running.stop();

    const to = january(20);
    await expect(identity.advanceClock({ to }, contextOf(tenant, 1_500))).rejects.toMatchObject({
      name: 'DeadlineExceededError',
    });
    expect(await timeOf(tenant)).toEqual(startsAt);
    await startBatonService('notifier');

    expect(await identity.advanceClock({ to }, contextOf(tenant))).toEqual({
      now: to,
      processed: 3,
    });
  });
});

describe('a jump whose worker is gone', () => {
  test('is taken up by another replica when its own one stops midway', async () => {
    const tenant = await aSandbox();
    await begin(tenant, { hops: [hop(3), hop(3)] });
    const stopping = await startIdentity();
    const there = connectIdentity(stopping.address);
    const open = closeGate();
    const begunBefore = runsBegun;

    const to = january(20);
    const cutOff = there.advanceClock({ to }, contextOf(tenant)).catch((error: unknown) => error);
    await eventually(() => {
      expect(runsBegun).toBeGreaterThan(begunBefore);
    });
    const joined = identity.advanceClock({ to }, contextOf(tenant));
    await stopping.stop();
    expect(await cutOff).toMatchObject({ kind: 'unavailable' });
    there.close();
    open();

    expect(await joined).toMatchObject({ now: to });
    const runs = await runsOf(tenant);
    expect(runs.map(({ dueAt }) => dueAt)).toEqual([2, 5, 8].map(january));
    for (const { dueAt, clock } of runs) expect(clock).toEqual(dueAt);
  });

  test('is taken up by the sweep when its process died before it did anything', async () => {
    const tenant = await aSandbox();
    await begin(tenant, { hops: [hop(3)] });
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = identityConfiguration;
    const mongo = await connectMongo({ uri, database, service: 'test' });
    const collection = new AggregateCollection(mongo.db, environments, {
      clock: systemClock,
      activity: openActivity(mongo.db),
    });

    const now = systemClock.now();
    const claim = { owner: newId(), until: new Date(now.getTime() + 600) };
    await collection
      .within({ tenant, now })
      .mutate(tenant.environmentId, (environment) =>
        requestJump(environment, { to: january(9), id: newId(), claim, now }),
      );
    await mongo.close();

    await eventually(async () => {
      expect(await timeOf(tenant)).toEqual(january(9));
    });
    expect(await runsOf(tenant)).toHaveLength(2);
  });
});
