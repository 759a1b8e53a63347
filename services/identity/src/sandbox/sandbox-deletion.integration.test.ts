import type { Tenant } from '@billing/chassis/call-context';
import { derivedId, newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import { eventually, testContext as context } from '@billing/chassis/testing';
import { ClockKind } from '@billing/proto/billing/identity/v1/identity';
import {
  aSandbox,
  begin,
  connectIdentity,
  contextOf,
  identity,
  identityConfiguration,
  january,
  second,
  serviceOf,
  startBatonService,
  startIdentity,
  useBatonSystem,
} from '../testing/baton-service';

useBatonSystem();

const liveOf = ({ organizationId }: Tenant): Tenant => ({
  organizationId,
  environmentId: derivedId(organizationId, 'live'),
  live: true,
  manualClock: false,
});

async function batonsOf({ environmentId }: Tenant, name: string): Promise<number> {
  const { collection } = serviceOf(name);
  return (await collection.documents.find({ environmentId }).toArray()).length;
}

async function inIdentity<T>(
  ask: (mongo: Awaited<ReturnType<typeof connectMongo>>['db']) => Promise<T>,
): Promise<T> {
  const { MONGODB_URI: uri, MONGODB_DATABASE: database } = identityConfiguration;
  const mongo = await connectMongo({ uri, database, service: 'test' });
  try {
    return await ask(mongo.db);
  } finally {
    await mongo.close();
  }
}

const isKnown = ({ environmentId }: Tenant) =>
  inIdentity(async (db) => {
    const environments = db.collection<{ _id: string }>('environments');
    return (await environments.findOne({ _id: environmentId })) !== null;
  });

test('a deletion whose replica stops is resumed by another, and waits for a service that is down', async () => {
  const tenant = await aSandbox();
  const kept = await aSandbox();
  for (const service of ['checkout', 'metering'] as const) {
    await begin(tenant, { dueAt: january(2) }, service);
    await begin(kept, { dueAt: january(2) }, service);
  }
  await serviceOf('metering').running.stop();
  const stopping = await startIdentity();
  const there = connectIdentity(stopping.address);
  await there.deleteSandbox({ id: tenant.environmentId }, contextOf(liveOf(tenant)));
  there.close();
  await stopping.stop();

  await eventually(async () => {
    expect(await batonsOf(tenant, 'checkout')).toBe(0);
  });
  // The environment carries the deletion until the last service is done.
  expect(await isKnown(tenant)).toBe(true);
  await startBatonService('metering');
  await eventually(async () => {
    expect([await batonsOf(tenant, 'metering'), await isKnown(tenant)]).toEqual([0, false]);
  });
  await expect(identity.getClock({}, contextOf(tenant))).rejects.toMatchObject({
    kind: 'not_found',
  });
  expect([await batonsOf(kept, 'checkout'), await batonsOf(kept, 'metering')]).toEqual([1, 1]);
});

test('the first sandbox of an organization, once deleted, does not come back', async () => {
  const name = newId();
  const { organizationId, live, sandbox } = await identity.ensureOrganization({ name }, context());
  const { id = '' } = sandbox ?? {};
  const ofLive = {
    organizationId,
    environmentId: live?.id ?? '',
    live: true,
    manualClock: false,
  };
  await identity.deleteSandbox({ id }, contextOf(ofLive));
  const again = () => identity.ensureOrganization({ name }, context());
  expect(await again()).toMatchObject({ organizationId, sandbox: undefined });
  await eventually(async () => {
    expect(await isKnown({ ...ofLive, environmentId: id })).toBe(false);
  });
  expect(await again()).toMatchObject({ live: { id: live?.id }, sandbox: undefined });
  expect(await isKnown({ ...ofLive, environmentId: id })).toBe(false);
});

describe('an organization with 1,000 sandboxes', () => {
  const create = (tenant: Tenant, at = identity) =>
    at.createSandbox(
      { name: '', clock: ClockKind.CLOCK_KIND_REAL, startsAt: undefined, createdBy: undefined },
      contextOf(liveOf(tenant)),
    );
  const refused = { kind: 'failed_precondition', reason: 'SANDBOX_LIMIT_REACHED' };

  /** Sandboxes as stored by a release without slots. */
  const fill = (tenant: Tenant, count: number) =>
    inIdentity(async (db) => {
      const environments = db.collection<{ _id: string }>('environments');
      const sandbox = await environments.findOne({ _id: tenant.environmentId });
      const made = Array.from({ length: count }, () => {
        const id = newId();
        return { ...sandbox, _id: id, environmentId: id };
      });
      await environments.insertMany(made);
    });

  test('gets no more of them, and one again after one is deleted', async () => {
    const tenant = await aSandbox();
    // Plus its first sandbox and the one above.
    await fill(tenant, 998);
    await expect(create(tenant)).rejects.toMatchObject(refused);
    await identity.deleteSandbox({ id: tenant.environmentId }, contextOf(liveOf(tenant)));
    await create(tenant);
    await expect(create(tenant)).rejects.toMatchObject(refused);
  });

  test('never gets more of them by parallel creations in several replicas', async () => {
    const tenant = await aSandbox();
    await fill(tenant, 993);
    const there = connectIdentity(second.address);
    const created = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => create(tenant, index % 2 === 0 ? identity : there)),
    );
    there.close();
    const stored = created.filter(({ status }) => status === 'fulfilled');
    const errors = created.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(errors).toEqual(Array.from({ length: 15 }, () => expect.objectContaining(refused)));
    expect(stored).toHaveLength(5);
    const { total } = await identity.listSandboxes(
      { page: 1, perPage: 1 },
      contextOf(liveOf(tenant)),
    );
    expect(total).toBe(1_000);
  });
});
