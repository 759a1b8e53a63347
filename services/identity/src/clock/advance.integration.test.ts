import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { connectMongo } from '@billing/chassis/mongo';
import { eventually } from '@billing/chassis/testing';
import { requestAdvance } from '../environment/sandbox-clock';
import { environments } from '../environment/environment-store';
import {
  aSandbox,
  begin,
  closeGate,
  connectIdentity,
  contextOf,
  hasBegun,
  hop,
  identity,
  identityConfiguration,
  january,
  runsOf,
  second,
  serviceOf,
  startBatonService,
  startIdentity,
  startsAt,
  timeOf,
  useBatonSystem,
} from '../testing/baton-service';

useBatonSystem();

describe('advancing a clock', () => {
  test('runs the work due on the way at its own instant, in any service', async () => {
    const tenant = await aSandbox();
    await begin(tenant, { hops: [hop(3), hop(0), hop(5), hop(20)] });
    await begin(tenant, { dueAt: january(4), hops: [hop(1)] }, 'subscription');

    const answer = await identity.advanceClock({ to: january(15) }, contextOf(tenant));

    expect(answer).toEqual({ now: january(15), processed: 6, stopped: false });
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

  test('to the present time runs due work and waits for quiet', async () => {
    const tenant = await aSandbox();
    await begin(tenant, { dueAt: startsAt, hops: [hop(0), hop(0)] });

    const answer = await identity.advanceClock({ to: startsAt }, contextOf(tenant));

    expect(answer).toEqual({ now: startsAt, processed: 3, stopped: false });
  });

  test('to an earlier time is refused under `to`', async () => {
    const tenant = await aSandbox();
    await identity.advanceClock({ to: january(3) }, contextOf(tenant));
    await expect(
      identity.advanceClock({ to: january(2) }, contextOf(tenant)),
    ).rejects.toMatchObject({ kind: 'invalid_input', fields: { to: [expect.any(String)] } });
    expect(await timeOf(tenant)).toEqual(january(3));
  });

  test('waits for earlier calls when both replicas are called in parallel', async () => {
    const tenant = await aSandbox();
    const there = connectIdentity(second.address);
    await begin(tenant, { hops: [hop(3), hop(3), hop(3)] });

    const targets = [9, 5, 9, 7, 5].map(january);
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

  test('outlives the call that requested it, and a retry joins it', async () => {
    const tenant = await aSandbox();
    await begin(tenant, { hops: [hop(3)] });
    const open = closeGate();

    const to = january(9);
    await expect(identity.advanceClock({ to }, contextOf(tenant, 300))).rejects.toMatchObject({
      name: 'DeadlineExceededError',
    });
    const joined = identity.advanceClock({ to }, contextOf(tenant));
    open();

    expect(await joined).toEqual({ now: to, processed: 2, stopped: false });
    expect(await runsOf(tenant)).toHaveLength(2);
  });

  test('waits for a service during its whole outage', async () => {
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
      stopped: false,
    });
  });
});

describe('an advance without a worker', () => {
  test('is resumed by another replica when its own one stops midway', async () => {
    const tenant = await aSandbox();
    await begin(tenant, { hops: [hop(3), hop(3)] });
    const stopping = await startIdentity();
    const there = connectIdentity(stopping.address);
    const open = closeGate();

    const to = january(20);
    const cutOff = there.advanceClock({ to }, contextOf(tenant)).catch((error: unknown) => error);
    await eventually(() => {
      expect(hasBegun(tenant)).toBe(true);
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

  test('is resumed by the sweep when its process died before it did anything', async () => {
    const tenant = await aSandbox();
    await begin(tenant, { hops: [hop(3)] });
    const { MONGODB_URI: uri, MONGODB_DATABASE: database } = identityConfiguration;
    const mongo = await connectMongo({ uri, database, service: 'test' });
    const collection = new AggregateCollection(mongo.db, environments, {
      clock: systemClock,
    });

    const now = systemClock.now();
    const claim = { owner: newId(), until: new Date(now.getTime() + 600) };
    const call = { id: newId(), until: new Date(now.getTime() + 60_000) };
    await collection.within({ tenant, now }).mutate(tenant.environmentId, (environment) =>
      requestAdvance(environment, {
        to: january(9),
        id: newId(),
        claim,
        now,
        call,
        isGone: () => false,
      }),
    );
    await mongo.close();

    await eventually(async () => {
      expect(await timeOf(tenant)).toEqual(january(9));
    });
    expect(await runsOf(tenant)).toHaveLength(2);
  });
});
