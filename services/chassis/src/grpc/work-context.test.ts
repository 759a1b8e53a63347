import { setTimeout as sleep } from 'node:timers/promises';
import { workContext } from './call-context';

const organizationId = '0197a000-0000-7000-8000-000000000001';
const environmentId = '0197a000-0000-7000-8000-000000000002';
const realTenant = { organizationId, environmentId, live: false, manualClock: false };
const manualTenant = { ...realTenant, manualClock: true };
const begun = new Date('2026-03-01T12:00:00.000Z');

function after(ms: number): Date {
  return new Date(begun.getTime() + ms);
}

function contextOf(
  realNow: Date,
  {
    tenant = realTenant,
    at = realNow,
    stopping = new AbortController().signal,
  }: { tenant?: typeof realTenant; at?: Date; stopping?: AbortSignal } = {},
) {
  return workContext(tenant, { at, clock: { now: () => realNow }, requestId: 'id', stopping });
}

test('work of one second shares a deadline, later work has another', () => {
  const { signal: stopping } = new AbortController();
  const first = contextOf(begun, { stopping });
  expect(first.deadline).toEqual(after(30_000));
  const soon = contextOf(after(999), { stopping });
  expect(soon.signal).toBe(first.signal);
  expect(soon.deadline).toEqual(first.deadline);
  const later = contextOf(after(1_000), { stopping });
  expect(later.signal).not.toBe(first.signal);
  expect(later.deadline).toEqual(after(31_000));
});

test('a clock that is set back shares nothing with later work from before', () => {
  const { signal: stopping } = new AbortController();
  const first = contextOf(begun, { stopping });
  expect(contextOf(after(-1), { stopping }).signal).not.toBe(first.signal);
});

test('a stop aborts its own work, and no work starts with an aborted deadline', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const ended = contextOf(begun, { stopping: one.signal });
  const going = contextOf(begun, { stopping: other.signal });
  one.abort();
  expect([ended.signal.aborted, going.signal.aborted]).toEqual([true, false]);
});

test('under a manual clock the time is that of the work, and the deadline is real', () => {
  const due = new Date('2031-01-31T00:00:00.000Z');
  const context = contextOf(begun, { tenant: manualTenant, at: due });
  expect(context.now).toEqual(due);
  expect(context.deadline).toEqual(after(30_000));
  expect(context.tenant.manualClock).toBe(true);
});

test('a passed deadline is no longer shared, even if the clock stands still', async () => {
  const stopping = new AbortController();
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(AbortSignal.abort());
  const over = contextOf(begun, { stopping: stopping.signal });
  timeout.mockRestore();
  await sleep(0);
  expect(over.signal.aborted).toBe(true);
  expect(contextOf(begun, { stopping: stopping.signal }).signal.aborted).toBe(false);
});
