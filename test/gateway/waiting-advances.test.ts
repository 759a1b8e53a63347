import { availableParallelism } from 'node:os';
import { eventually } from '@billing/chassis/testing';
import { type Answer, ApiClient } from '../support/api-client';
import { dailySandbox } from '../support/daily-sandbox';
import { startSecondGateway } from './second-gateway';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';

const startsAt = '2026-01-01T00:00:00.000Z';
const fiveYearsLater = '2030-12-31T00:00:00.000Z';
const perSandboxMax = 5;
const perGatewayMax = 50;
// Advances that an identity replica runs at the same time; the others wait for a turn.
const runningMax = Math.min(4, availableParallelism());
// More renewals than any machine makes during a test.
const subscriptionCount = 10;

let system: OwnTestSystem;
let second: Awaited<ReturnType<typeof startSecondGateway>>;
let busy: ApiClient[];

beforeAll(async () => {
  system = await startTestSystem({ ownProcess: true });
  second = await startSecondGateway(system);
  busy = [];
  while (busy.length < runningMax)
    busy.push(await dailySandbox(system.live, { startsAt, subscriptionCount }));
});

afterAll(async () => {
  await second.stop();
  await system.stop();
});

/** Calls that are in flight together, and their answers so far. */
class WaitingCalls {
  readonly answered: Answer[] = [];
  private readonly calls: Promise<void>[] = [];

  add(sandbox: ApiClient, count: number): void {
    for (let n = 0; n < count; n += 1) {
      const call = sandbox.post('/sandboxes/clock/advance', { to: fiveYearsLater });
      this.calls.push(call.then((answer) => void this.answered.push(answer)));
    }
  }

  /** The calls that were refused, once there is one. */
  refused(): Promise<unknown[]> {
    return eventually(() => {
      expect(this.answered.length).toBeGreaterThan(0);
      return this.answered.map(({ status, headers, body }) => [
        status,
        headers.get('error-code'),
        headers.get('retry-after'),
        body,
      ]);
    });
  }

  /** Stops the advances; returns how many calls had each status. */
  async stop(sandboxes: readonly ApiClient[]): Promise<Record<number, number>> {
    for (const sandbox of sandboxes)
      await sandbox.expect(200, sandbox.delete('/sandboxes/clock/advance'));
    await Promise.all(this.calls);
    const counts: Record<number, number> = {};
    for (const { status } of this.answered) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }
}

const refusal = [429, 'too_many_requests', '5', { error: 'Too many requests' }];

async function timeOf(sandbox: ApiClient): Promise<string> {
  return (await sandbox.expect(200, sandbox.get('/sandboxes/clock'))).now;
}

test('five calls wait for an advance of a sandbox, and the sixth is refused', async () => {
  const [sandbox] = busy;
  const calls = new WaitingCalls();
  calls.add(sandbox!, perSandboxMax + 1);
  expect(await calls.refused()).toEqual([refusal]);
  expect((await sandbox!.get('/customers')).status).toBe(200);
  expect(await calls.stop([sandbox!])).toEqual({ 200: perSandboxMax, 429: 1 });
});

test('the calls of a sandbox at two gateways are counted together', async () => {
  const sandbox = busy.at(-1);
  const atSecond = new ApiClient(second.address, sandbox!.key);
  const calls = new WaitingCalls();
  calls.add(sandbox!, 3);
  calls.add(atSecond, 3);
  expect(await calls.refused()).toEqual([refusal]);
  expect(await calls.stop([sandbox!])).toEqual({ 200: perSandboxMax, 429: 1 });
});

test('fifty calls wait at a gateway, the next one is refused, and live requests are served', async () => {
  const queued: ApiClient[] = [];
  while (busy.length + queued.length < perGatewayMax / perSandboxMax)
    queued.push(await system.live.manualSandbox(startsAt));
  const another = await system.live.manualSandbox(startsAt);
  const before = await Promise.all(busy.map(timeOf));
  const calls = new WaitingCalls();
  for (const sandbox of busy) calls.add(sandbox, perSandboxMax);
  await eventually(async () => {
    const now = await Promise.all(busy.map(timeOf));
    expect(now.filter((time, index) => time === before[index])).toEqual([]);
  });
  for (const sandbox of queued) calls.add(sandbox, perSandboxMax);
  calls.add(another, 1);
  expect(await calls.refused()).toEqual([refusal]);
  expect((await system.live.get('/customers')).status).toBe(200);
  // The other gateway has places of its own.
  const elsewhere = new WaitingCalls();
  elsewhere.add(new ApiClient(second.address, another.key), 1);
  const sandboxes = [...queued, another, ...busy];
  expect(await calls.stop(sandboxes)).toEqual({ 200: perGatewayMax, 429: 1 });
  expect(await elsewhere.stop(sandboxes)).toEqual({ 200: 1 });
});

describe('five sandboxes that advance by five years', () => {
  const sandboxCount = 5;
  // Enough to see that an advance goes on.
  const renewed = '2026-01-04T00:00:00.000Z';

  /** Answers of live requests, one after the other. */
  async function liveStatuses(): Promise<number[]> {
    const created = await system.live.post('/customers', { email: 'ada@example.com' });
    const read = await system.live.get(`/customers/${String(created.body.id)}`);
    const listed = await system.live.get('/customers');
    return [created, read, listed].map(({ status }) => status);
  }

  test('take turns, so that each one goes on, and live requests are served', async () => {
    const sandboxes: ApiClient[] = [];
    while (sandboxes.length < sandboxCount)
      sandboxes.push(await dailySandbox(system.live, { startsAt, subscriptionCount: 3 }));
    const calls = new Map(
      sandboxes.map((sandbox) => [
        sandbox,
        sandbox.post('/sandboxes/clock/advance', { to: fiveYearsLater }),
      ]),
    );
    const live: number[][] = [];
    await eventually(async () => {
      live.push(await liveStatuses());
      const times = await Promise.all(sandboxes.map(timeOf));
      expect(times.filter((time) => time < renewed)).toEqual([]);
    });
    const stopped = new Map<ApiClient, string>();
    for (const sandbox of sandboxes) {
      const { now } = await sandbox.expect(200, sandbox.delete('/sandboxes/clock/advance'));
      live.push(await liveStatuses());
      const answer = await sandbox.expect(200, calls.get(sandbox)!);
      expect(answer).toMatchObject({ now, stopped: true });
      expect(answer.processed).toBeGreaterThan(0);
      stopped.set(sandbox, now as string);
    }
    expect(live).toEqual(live.map(() => [201, 200, 200]));
    for (const [sandbox, now] of stopped) expect(await timeOf(sandbox)).toBe(now);
  });
});
