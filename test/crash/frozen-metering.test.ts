import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { sleep } from '@billing/chassis/clock';
import { connectMongo } from '@billing/chassis/mongo';
import { eventually } from '@billing/chassis/testing';
import type { Infrastructure } from '@billing/local/infrastructure';
import { expectInvariants } from '../invariants/expectation';
import { startReplica } from '../support/replica';
import { isNightly } from '../support/rounds';
import { warningsIn } from '../support/service-log';
import { startTestSystem, type OwnTestSystem } from '../support/test-system';
import { startOwnServers } from './own-servers';
import { UsageLoad } from './usage-load';

const subscriptions = isNightly ? 20 : 2;
// A silent writer is fenced after 30 s.
const frozenMs = isNightly ? [40_000, 300_000] : [40_000];
const databaseFrozenMs = 18_000;
const aheadMs = 7 * 60_000;
const senders = 3;
// Batches after each fault, so that each fault meets a process that stores events.
const batchesBetween = 10;
const settleTimeoutMs = 180_000;
const setupTimeoutMs = 30 * 60_000;
// A process that counts epochs and recovers slots, without callers.
const observer = { METERING_AHEAD_MS: '0' };

describe('metering whose writer and database freeze, and whose processes disagree about the time by seven minutes', () => {
  let infrastructure: Infrastructure;
  let system: OwnTestSystem;
  let replica: ChildProcess;
  let load: UsageLoad;
  let writersBefore: number;

  beforeAll(async () => {
    infrastructure = await startOwnServers();
    const required = `--require ${require.resolve('./clock-ahead.cjs')}`;
    system = await startTestSystem({
      processes: true,
      infrastructure,
      environment: {
        NODE_OPTIONS: [process.env.NODE_OPTIONS, required].join(' ').trim(),
        METERING_AHEAD_MS: String(aheadMs),
      },
    });
    replica = startReplica(system.pids().metering, observer);
    load = await UsageLoad.open(system.sandbox, subscriptions);
    const ending = new AbortController();
    const sending = Array.from({ length: senders }, (_, index) =>
      load.sendRepeatedly(index, ending.signal),
    );
    try {
      await Promise.race([causeFaults(), ...sending]);
    } finally {
      ending.abort();
      await Promise.all(sending);
    }
  }, setupTimeoutMs);

  afterAll(async () => {
    const { batches, tries, duplicates } = load.outcomes;
    process.stderr.write(
      `${String(batches)} batches in ${String(tries)} tries, ${String(load.log.size)} events, ${String(duplicates)} duplicates reported\n`,
    );
    replica.kill('SIGTERM');
    await once(replica, 'exit');
    await system.stop();
    await infrastructure.stop();
  });

  async function causeFaults(): Promise<void> {
    await moreBatches();
    writersBefore = await writers();
    for (const ms of frozenMs) {
      await freeze(system.pids().metering, ms);
      await moreBatches();
    }
    const { mongod, ferretdb } = infrastructure.pids();
    await freeze(mongod ?? ferretdb, databaseFrozenMs);
    await moreBatches();
  }

  async function freeze(pid: number | undefined, ms: number): Promise<void> {
    if (pid === undefined) throw new Error('The process to freeze does not run');
    process.kill(pid, 'SIGSTOP');
    await sleep(ms);
    process.kill(pid, 'SIGCONT');
  }

  async function moreBatches(): Promise<void> {
    const enough = load.outcomes.batches + batchesBetween;
    await eventually(
      () => {
        expect(load.outcomes.batches).toBeGreaterThanOrEqual(enough);
      },
      { timeoutMs: settleTimeoutMs },
    );
  }

  /** The number of writers so far: one that was fenced goes on under a new number. */
  async function writers(): Promise<number> {
    const service = 'metering';
    const mongo = await connectMongo({ ...system.databaseOf(service), service });
    const found = await mongo.db.collection('usageEpoch').findOne({});
    await mongo.close();
    return Number(found?.writers);
  }

  test('is fenced by another process each time, and goes on as a new writer', async () => {
    expect(await writers()).toBeGreaterThanOrEqual(writersBefore + frozenMs.length);
    expect(load.outcomes.tries).toBeGreaterThan(load.outcomes.batches);
  });

  test('reports that its clock differs from the database', async () => {
    const warnings = (await warningsIn(system)).filter((line) => line.includes('"metering"'));
    const [skew = '{}'] = warnings.filter((line) => line.includes('clock differs'));
    const { skewSeconds } = JSON.parse(skew) as { skewSeconds?: number };
    expect(Math.round((skewSeconds ?? 0) / 60)).toBe(aheadMs / 60_000);
  });

  test('stores each acknowledged event once as it was sent, and nothing else', async () => {
    await load.expectStored();
  });

  test('counts each acknowledged event once in the state of its customer', async () => {
    await load.expectCounted();
  });

  test(
    'bills each acknowledged event once, and violates no invariant',
    async () => {
      await load.expectBilled();
      await expectInvariants(system, system.sandbox, { timeoutMs: settleTimeoutMs });
    },
    2 * settleTimeoutMs,
  );
});
