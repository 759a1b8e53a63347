import { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Tenant } from '@billing/chassis/call-context';
import { newId } from '@billing/chassis/ids';
import { eventually } from '@billing/chassis/testing';
import { ClockKind } from '@billing/proto/billing/identity/v1/identity';
import { advancesMax } from './run-advances';
import {
  aSandbox,
  begin,
  closeGate,
  connectIdentity,
  contextOf,
  hasBegun,
  hop,
  identity,
  january,
  runsOf,
  second,
  startsAt,
  timeOf,
  useBatonSystem,
  countStoredAdvances,
  countWaitingCalls,
  leaveWaitingCalls,
} from '../testing/baton-service';

useBatonSystem();

describe('calls that wait for one clock', () => {
  test('are at most five; the next one is refused and calls for other clocks are served', async () => {
    const tenant = await aSandbox();
    await begin(tenant, {});
    const open = closeGate();
    const to = january(9);
    const waiting = Array.from({ length: 5 }, () =>
      identity.advanceClock({ to }, contextOf(tenant)),
    );
    await eventually(async () => {
      await expect(identity.advanceClock({ to }, contextOf(tenant, 500))).rejects.toMatchObject({
        reason: 'TOO_MANY_WAITING',
      });
    });
    await eventually(async () => {
      expect(await timeOf(tenant)).toEqual(january(2));
    });
    open();
    expect(await Promise.all(waiting)).toHaveLength(5);
    await expect(identity.advanceClock({ to }, contextOf(tenant))).resolves.toMatchObject({
      now: to,
    });
  });

  test('are at most five at two replicas together, of twenty that come in parallel', async () => {
    const tenant = await aSandbox();
    await begin(tenant, {});
    const open = closeGate();
    const other = connectIdentity(second.address);
    const answered: { status: string; kind?: string }[] = [];
    const calls = Array.from({ length: 20 }, async (_, number) => {
      const peer = number % 2 === 0 ? identity : other;
      const [outcome] = await Promise.allSettled([
        peer.advanceClock({ to: january(9) }, contextOf(tenant)),
      ]);
      const { status } = outcome;
      if (status === 'fulfilled') answered.push({ status });
      else answered.push({ status, kind: (outcome.reason as { reason: string }).reason });
    });
    const refusal = { status: 'rejected', kind: 'TOO_MANY_WAITING' };
    await eventually(() => {
      expect(answered).toEqual(Array(15).fill(refusal));
    });
    open();
    await Promise.all(calls);
    expect(answered.slice(15)).toEqual(Array(5).fill({ status: 'fulfilled' }));
    other.close();
  });

  test('make room when their replica is gone, although their advance still runs', async () => {
    const tenant = await aSandbox();
    await begin(tenant, {});
    const open = closeGate();
    const to = january(9);
    const first = identity.advanceClock({ to }, contextOf(tenant));
    const areWaiting = (count: number) =>
      eventually(async () => {
        expect(await countWaitingCalls(tenant)).toBe(count);
      });
    await areWaiting(1);
    await leaveWaitingCalls(tenant);
    const next = eventually(() => identity.advanceClock({ to }, contextOf(tenant)));
    await areWaiting(1);
    open();
    expect(await Promise.all([first, next])).toMatchObject([{ now: to }, { now: to }]);
  });

  test('count one by one at two replicas, also under one request id', async () => {
    const tenant = await aSandbox();
    await begin(tenant, {});
    const open = closeGate();
    const other = connectIdentity(second.address);
    const to = january(9);
    const shared = { ...contextOf(tenant), requestId: 'chosen-by-the-caller' };
    const areWaiting = (count: number) =>
      eventually(async () => {
        expect(await countWaitingCalls(tenant)).toBe(count);
      });
    const leaving = new AbortController();
    const first = other.advanceClock({ to }, { ...shared, signal: leaving.signal });
    await areWaiting(1);
    const staying = [identity.advanceClock({ to }, shared), other.advanceClock({ to }, shared)];
    await areWaiting(3);
    leaving.abort();
    await expect(first).rejects.toThrow();
    await areWaiting(2);
    open();
    expect(await Promise.all(staying)).toHaveLength(2);
    other.close();
  });

  test('make room for another one when their caller leaves', async () => {
    const tenant = await aSandbox();
    await begin(tenant, {});
    const open = closeGate();
    const other = connectIdentity(second.address);
    const to = january(9);
    const areWaiting = (count: number) =>
      eventually(async () => {
        expect(await countWaitingCalls(tenant)).toBe(count);
      });
    const leaving = new AbortController();
    const first = other.advanceClock({ to }, { ...contextOf(tenant), signal: leaving.signal });
    const waiting = Array.from({ length: 4 }, () => other.advanceClock({ to }, contextOf(tenant)));
    await areWaiting(5);
    await expect(identity.advanceClock({ to }, contextOf(tenant))).rejects.toMatchObject({
      reason: 'TOO_MANY_WAITING',
    });
    leaving.abort();
    await expect(first).rejects.toThrow();
    await areWaiting(4);
    const next = identity.advanceClock({ to }, contextOf(tenant));
    await areWaiting(5);
    open();
    expect(await Promise.all([...waiting, next])).toHaveLength(5);
    other.close();
  });

  test('join the running advance under one idempotency key, and get its answer replayed afterwards', async () => {
    const tenant = await aSandbox();
    await begin(tenant, {});
    const open = closeGate();
    const to = january(9);
    const onReplayed = jest.fn();
    const idempotency = { key: newId(), requestHash: 'same', onReplayed };
    const call = () => identity.advanceClock({ to }, { ...contextOf(tenant), idempotency });
    const first = call();
    await eventually(() => {
      expect(hasBegun(tenant)).toBe(true);
    });
    const waits = jest.spyOn(AggregateCollection.prototype, 'waitFor');
    const joined = call();
    // A call that comes after the end gets its answer replayed.
    await eventually(() => {
      expect(waits.mock.calls.map(([id]) => id)).toContain(tenant.environmentId);
    });
    waits.mockRestore();
    open();
    expect(await Promise.all([first, joined])).toEqual([
      { now: to, processed: 1, stopped: false },
      { now: to, processed: 1, stopped: false },
    ]);
    expect(onReplayed).not.toHaveBeenCalled();
    expect(await call()).toEqual({ now: to, processed: 1, stopped: false });
    expect(onReplayed).toHaveBeenCalled();
  });
});

test('long advances share the places of a replica in turns, and a short one ends in between', async () => {
  const long = await Promise.all(Array.from({ length: advancesMax + 1 }, () => aSandbox()));
  const hops = Array.from({ length: 1_000 }, () => hop(1));
  for (const tenant of long) await begin(tenant, { hops });
  const advance = (tenant: Tenant, to: Date) =>
    identity.advanceClock({ to }, contextOf(tenant, 500_000));
  const running = Promise.all(long.map((tenant) => advance(tenant, january(1_100))));
  running.catch(() => undefined);
  try {
    await eventually(() => {
      expect(long.every(hasBegun)).toBe(true);
    });
    const to = new Date(startsAt.getTime() + 1_000);
    expect(await advance(await aSandbox(), to)).toEqual({ now: to, processed: 0, stopped: false });
    expect(await Promise.all(long.map(countStoredAdvances))).toEqual(long.map(() => 1));
  } finally {
    await Promise.all(long.map((tenant) => identity.stopClockAdvance({}, contextOf(tenant))));
  }
  for (const [index, { now, processed, stopped }] of (await running).entries()) {
    expect(stopped).toBe(true);
    expect(await timeOf(long[index]!)).toEqual(now);
    expect(await runsOf(long[index]!)).toHaveLength(processed);
  }
});

describe('stopping an advance', () => {
  const stop = (tenant: Tenant) => identity.stopClockAdvance({}, contextOf(tenant));

  test('ends it after its present instant, for its callers and those queued behind it', async () => {
    const tenant = await aSandbox();
    await begin(tenant, { hops: [hop(3), hop(3)] });
    const open = closeGate();
    const running = identity.advanceClock({ to: january(20) }, contextOf(tenant));
    await eventually(() => {
      expect(hasBegun(tenant)).toBe(true);
    });
    const behind = identity.advanceClock({ to: january(25) }, contextOf(tenant));
    await eventually(async () => {
      expect(await countStoredAdvances(tenant)).toBe(2);
    });
    const stopped = stop(tenant);
    await eventually(async () => {
      expect(await countStoredAdvances(tenant)).toBe(1);
    });
    open();
    expect(await running).toEqual({ now: january(2), processed: 1, stopped: true });
    expect(await behind).toEqual({ now: january(2), processed: 0, stopped: true });
    expect(await stopped).toMatchObject({ now: january(2) });
    expect(await runsOf(tenant)).toHaveLength(1);

    const { processed } = await identity.advanceClock({ to: january(20) }, contextOf(tenant));
    expect(processed).toBe(2);
  });

  test('returns the same answer without a running advance', async () => {
    const tenant = await aSandbox();
    expect(await stop(tenant)).toEqual({ clock: ClockKind.CLOCK_KIND_MANUAL, now: startsAt });
  });

  test('ends an advance that still waits for room in the replica, without having run it', async () => {
    const open = closeGate();
    const running = await Promise.all(Array.from({ length: advancesMax }, () => aSandbox()));
    for (const tenant of running) await begin(tenant, {});
    const advance = (tenant: Tenant) =>
      identity.advanceClock({ to: january(9) }, contextOf(tenant, 100_000));
    const answers = running.map(advance);
    await eventually(() => {
      expect(running.every(hasBegun)).toBe(true);
    });
    const [waiting, next] = [await aSandbox(), await aSandbox()];
    for (const tenant of [waiting, next]) await begin(tenant, {});
    const [refused, later] = [advance(waiting), advance(next)];
    await eventually(async () => {
      expect([await countStoredAdvances(waiting), await countStoredAdvances(next)]).toEqual([1, 1]);
    });
    await stop(waiting);
    expect(await refused).toEqual({ now: startsAt, processed: 0, stopped: true });
    expect([hasBegun(waiting), hasBegun(next)]).toEqual([false, false]);
    open();
    for (const answer of await Promise.all([...answers, later])) {
      expect(answer).toEqual({ now: january(9), processed: 1, stopped: false });
    }
  });
});
