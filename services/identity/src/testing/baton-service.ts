import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Collection } from 'mongodb';
import type { AggregateDefinition } from '@billing/chassis/aggregate';
import { type AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { derivedId, newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import { connectPeer, type Peer } from '@billing/chassis/peer';
import { type RunningService, Service } from '@billing/chassis/service';
import {
  dropTestDatabase,
  dropTestStream,
  testContext,
  testServiceConfiguration,
} from '@billing/chassis/testing';
import { unchanged } from '@billing/kernel/transition';
import {
  ClockKind,
  type IdentityServiceServer,
  IdentityServiceService,
} from '@billing/proto/billing/identity/v1/identity';
import type { WorkClass } from '../clock/clock-advance';
import { start } from '../service';

const dayMs = 24 * 3_600_000;
export const startsAt = new Date('2026-01-01T00:00:00.000Z');
export const january = (day: number) => new Date(startsAt.getTime() + (day - 1) * dayMs);

/**
 * Work of the services around identity: runs when it is due, and passes what is left of it to the
 * other service.
 */
interface Baton {
  readonly id: string;
  readonly name: string;
  readonly dueAt: Date | undefined;
  readonly workClass: WorkClass;
  /** Targets of the baton after this run, each time the other service. */
  readonly hops: readonly Hop[];
  /** Times of its runs: by its own time, and by the clock of the sandbox. */
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

/** A running service with batons, and the controls of a test. */
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
export const identityConfiguration = testServiceConfiguration('identity');

// Opened by a test that keeps work running for a while.
let gate: Promise<unknown> = Promise.resolve();
let openGate = (): void => undefined;
// Environments in which work has begun: a run that is interrupted begins again.
const begunIn = new Set<string>();

const services = new Map<string, BatonService>();
let first: RunningService;
export let second: RunningService;
export let identity: Peer<IdentityServiceServer>;

export async function startBatonService(name: (typeof names)[number]): Promise<void> {
  const configuration = configurations.get(name);
  if (configuration === undefined) throw new Error(`No configuration of ${name}`);
  const service = await Service.open(name, {
    ...configuration,
    GRPC_LISTEN: await addressOf(name),
  });
  const collection = service.aggregates(batons);
  collection.handle({
    wake: async (id, context) => {
      begunIn.add(context.tenant.environmentId);
      await gate;
      await run(collection, id, context);
    },
    commands: { pass: (baton: never, { context }) => receive(name, baton, context) },
  });
  services.set(name, { running: await service.serve([]), collection });
}

/** Runs a due baton and sends it on by a command, as a service of the system does. */
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

/** Delivers the first service's outbox to the other service. */
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

export async function startIdentity(): Promise<RunningService> {
  return start({
    ...identityConfiguration,
    API_KEY_PEPPER: 'a pepper of at least 32 characters',
    AUDIT_LOG: 'none',
    RETENTION_AUDIT_DAYS: 400,
    RETENTION_REQUESTS: 7,
    // No pause of the process makes a worker lose it.
    JUMP_LEASE_MS: 18_000,
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

export function connectIdentity(address: string): Peer<IdentityServiceServer> {
  return connectPeer<IdentityServiceServer>(IdentityServiceService, {
    address,
    service: 'test',
    withoutTenant: ['ensureOrganization', 'authenticate'],
  });
}

/** Runs two replicas of identity and all services around it during a file's tests. */
export function useBatonSystem(): void {
  beforeAll(async () => {
    for (const name of names) await startBatonService(name);
    first = await startIdentity();
    second = await startIdentity();
    identity = connectIdentity(first.address);
  });

  // A test that fails must not block the work of the next ones.
  afterEach(() => {
    openGate();
  });

  afterAll(async () => {
    identity.close();
    await Promise.all([first.stop(), second.stop()]);
    for (const { running } of services.values()) await running.stop();
    await dropTestDatabase(identityConfiguration, ...configurations.values());
    await dropTestStream(identityConfiguration);
    await rm(await folder, { recursive: true });
  });
}

/** A sandbox with a manual clock, as its tenant. */
export async function aSandbox(): Promise<Tenant> {
  const { live } = await identity.ensureOrganization({ name: newId() }, testContext());
  const { id: liveId = '', organizationId = '' } = live ?? {};
  const { sandbox } = await identity.createSandbox(
    { name: '', clock: ClockKind.CLOCK_KIND_MANUAL, startsAt, createdBy: undefined },
    testContext({ tenant: { environmentId: liveId, organizationId, live: true } }),
  );
  return { organizationId, environmentId: sandbox?.id ?? '', live: false, manualClock: true };
}

export function contextOf(tenant: Tenant, deadlineMs?: number): CallContext {
  return testContext({
    tenant,
    now: startsAt,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
}

export async function begin(
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

export function serviceOf(name: string): BatonService {
  const service = services.get(name);
  if (service === undefined) throw new Error(`${name} does not run`);
  return service;
}

/** Every run of the environment's batons, in the order of their due times. */
export async function runsOf(tenant: Tenant): Promise<(Run & { name: string })[]> {
  const all: (Run & { name: string })[] = [];
  for (const { collection } of services.values()) {
    const { data } = await collection.within(contextOf(tenant)).list({ page: 1, perPage: 1000 });
    for (const { state } of data)
      all.push(...state.runs.map((one) => ({ ...one, name: state.name })));
  }
  return all.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime());
}

/** True once work of the environment has begun. */
export function hasBegun({ environmentId }: Tenant): boolean {
  return begunIn.has(environmentId);
}

export async function timeOf(tenant: Tenant): Promise<Date | undefined> {
  const { now } = await identity.getClock({}, contextOf(tenant));
  return now;
}

/** Number of advances that the sandbox has stored. */
export async function countStoredAdvances(tenant: Tenant): Promise<number> {
  return (await readClock(tenant))?.jumps.length ?? 0;
}

/** Number of calls that the sandbox has stored as waiting. */
export async function countWaitingCalls(tenant: Tenant): Promise<number> {
  return (await readClock(tenant))?.waiting.length ?? 0;
}

/** Replaces the calls that wait for the running advance by five of a replica that is gone. */
export async function leaveWaitingCalls(tenant: Tenant): Promise<void> {
  const [advance] = (await readClock(tenant))?.jumps ?? [];
  const until = new Date(systemClock.now().getTime() + dayMs);
  const call = { advanceId: advance?.id, replica: 'gone', since: startsAt, until };
  const waiting = Array.from({ length: 5 }, () => ({ id: newId(), ...call }));
  await inEnvironments((environments) =>
    environments.updateOne(
      { _id: tenant.environmentId },
      { $set: { 'clock.waiting': waiting }, $inc: { version: 1 } },
    ),
  );
}

async function readClock({ environmentId }: Tenant) {
  const document = await inEnvironments((all) => all.findOne({ _id: environmentId }));
  return document?.clock;
}

interface StoredEnvironment {
  readonly _id: string;
  readonly version: number;
  readonly clock: { readonly jumps: { readonly id: string }[]; readonly waiting: object[] };
}

async function inEnvironments<T>(
  act: (environments: Collection<StoredEnvironment>) => Promise<T>,
): Promise<T> {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = identityConfiguration;
  const mongo = await connectMongo({ uri, database, service: 'test' });
  try {
    return await act(mongo.db.collection<StoredEnvironment>('environments'));
  } finally {
    await mongo.close();
  }
}

/** Blocks all work until the returned function is called, or the test has ended. */
export function closeGate(): () => void {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  gate = promise;
  openGate = () => {
    resolve(undefined);
  };
  return openGate;
}

export const hop = (afterDays: number, workClass: WorkClass = 'RENEWAL'): Hop => ({
  afterMs: afterDays * dayMs,
  workClass,
});
