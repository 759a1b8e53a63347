import { sleep } from '@billing/chassis/clock';
import { eventually } from '@billing/chassis/testing';
import { expectInvariants } from '../invariants/expectation';
import { isNightly } from '../support/rounds';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { UsageLoad } from './usage-load';

const subscriptions = isNightly ? 20 : 2;
const loadMs = isNightly ? 150_000 : 6_000;
const eventsMin = isNightly ? 30_000 : 1;
// For a load that hangs: on a busy machine a process needs time to restart.
const loadMsMax = 40 * 60_000;
const killsMin = 4;
const senders = 3;
// From its first answered batch on, so that each kill meets a process that stores events.
const killAfterMsMax = 1_500;
const watchEveryMs = 25;
const settleTimeoutMs = 120_000;

describe('metering that is killed while it ingests events', () => {
  let system: OwnTestSystem;
  let load: UsageLoad;
  const killed: number[] = [];

  beforeAll(async () => {
    system = await startTestSystem({ processes: true });
    load = await UsageLoad.open(system.sandbox, subscriptions);
    await runLoad();
  }, loadMsMax + settleTimeoutMs);

  afterAll(async () => {
    const { batches, tries, accepted, duplicates } = load.outcomes;
    process.stderr.write(
      `${String(killed.length)} kills, ${String(batches)} batches in ${String(tries)} tries, ${String(load.log.size)} events, ` +
        `${String(load.log.size - accepted)} of them stored without an answer, ${String(duplicates)} duplicates reported\n`,
    );
    await system.stop();
  });

  async function runLoad(): Promise<void> {
    const ending = new AbortController();
    const work = [
      ...Array.from({ length: senders }, (_, index) => load.sendRepeatedly(index, ending.signal)),
      killRepeatedly(ending.signal),
    ];
    const startedMs = performance.now();
    const isEnough = () =>
      killed.length >= killsMin && load.outcomes.duplicates > 0 && load.log.size >= eventsMin;
    await sleep(loadMs);
    while (!isEnough() && performance.now() - startedMs < loadMsMax) await sleep(watchEveryMs);
    ending.abort();
    await Promise.all(work);
  }

  async function killRepeatedly(ending: AbortSignal): Promise<void> {
    let answeredBefore = 0;
    while (!ending.aborted) {
      await sleep(watchEveryMs, ending);
      const pid = system.pids().metering;
      const stores = load.outcomes.batches >= answeredBefore + senders;
      if (pid === undefined || killed.includes(pid) || !stores) continue;
      await sleep(Math.random() * killAfterMsMax, ending);
      if (system.pids().metering !== pid) continue;
      process.kill(pid, 'SIGKILL');
      killed.push(pid);
      answeredBefore = load.outcomes.batches;
    }
  }

  test('was killed repeatedly', () => {
    const { tries, batches, duplicates, accepted } = load.outcomes;
    expect(killed.length).toBeGreaterThanOrEqual(killsMin);
    expect(load.log.size).toBeGreaterThanOrEqual(eventsMin);
    expect(tries).toBeGreaterThan(batches);
    expect(duplicates).toBeGreaterThan(0);
    expect(accepted).toBeLessThanOrEqual(load.log.size);
  });

  test(
    'stores each acknowledged event once as it was sent, and nothing else',
    async () => {
      // The last kill may have been just before.
      await eventually(async () => {
        expect((await system.sandbox.get('/events?perPage=1')).status).toBe(200);
      });
      await load.expectStored();
    },
    settleTimeoutMs,
  );

  test('counts each acknowledged event once in the state of its customer', async () => {
    await load.expectCounted();
  });

  test(
    'bills each acknowledged event once',
    async () => {
      await load.expectBilled();
    },
    settleTimeoutMs,
  );

  test(
    'violates no invariant',
    async () => {
      await expectInvariants(system, system.sandbox, { timeoutMs: settleTimeoutMs });
    },
    settleTimeoutMs + 30_000,
  );
});
