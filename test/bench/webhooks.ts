import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Bench } from './report/bench';
import { compare, runOf, type Run, type Side } from './figures/comparison';
import { anyDocumentOf, resetWithIndexesOf } from './stage/floor-data';
import type { FloorJob } from './floors/webhooks';
import type { ReceiverJob } from './floors/webhook-receiver';
import type { Stage, StagedSystem } from './stage/stage';
import { endpointsCount, WebhookSeed } from './webhook-seed';
import { runJob } from './stage/program';

// Events per second of a run's maximum duration; each goes to every endpoint.
const eventsPerSecond = 40;
const floorDatabase = 'bench_floor';
const healthyShare = (endpointsCount - 1) / endpointsCount;

/** P8 and P9: webhooks from the published event to the stored result. */
export const webhooks: Bench = {
  name: 'webhooks',
  title: 'webhooks delivered, to ten endpoints and with one of them hanging',
  run: async (stage, effort) => {
    const system = await stage.system();
    const receiver = await startReceiver(stage);
    const seeds = await openSeeds(system, receiver.origin);
    try {
      const shared = { ...effort, unit: 'webhooks/s', sharedPids: () => stage.sharedPids() };
      const healthy = healthySide(system, { seed: seeds.healthy, receiver });
      const against = await compare({
        ...shared,
        id: 'P8',
        title: 'webhooks to 10 endpoints : POST + HMAC + 2 driver writes each, 64 in flight',
        ours: healthy,
        floor: await floorSide(stage, { seed: seeds.healthy, receiver }),
        demand: { atLeast: 0.7 },
        log: stage.log,
      });
      const apart = await compare({
        ...shared,
        id: 'P9',
        title: 'webhooks to 9 endpoints next to one that hangs : nine tenths of all healthy',
        ours: hangingSide(system, { seed: seeds.hanging, receiver }),
        floor: { ...healthy, name: 'healthy', run: async (s) => ninths(await healthy.run(s)) },
        demand: { atLeast: 0.9 },
        log: stage.log,
      });
      return { comparisons: [against, apart] };
    } finally {
      await seeds.healthy.close();
      await seeds.hanging.close();
    }
  },
};

interface Scene {
  readonly seed: WebhookSeed;
  readonly receiver: Receiver;
}

/** From the first event's publication until the last result is stored. */
function healthySide(system: StagedSystem, { seed, receiver }: Scene): Side {
  return {
    name: 'billing',
    pids: system.pids,
    run: async (seconds) => {
      const events = Math.round(seconds * eventsPerSecond);
      return timed(events * endpointsCount, async (count) => {
        const arrived = receiver.expect('/healthy/', count);
        await seed.announce(events);
        await arrived;
        await seed.untilStored();
      });
    },
  };
}

/**
 * As above, but one endpoint takes ten seconds per request; afterwards it gets its missing events,
 * so that each run begins alike.
 */
function hangingSide(system: StagedSystem, { seed, receiver }: Scene): Side {
  const hanging = '/hanging/0';
  return {
    name: 'one hangs',
    pids: system.pids,
    run: async (seconds) => {
      const events = Math.round(seconds * eventsPerSecond);
      receiver.hold(hanging);
      const run = await timed(events * (endpointsCount - 1), async (count) => {
        const arrived = receiver.expect('/hanging/', count);
        await seed.announce(events);
        await arrived;
        await seed.untilStored({ without: `${receiver.origin}${hanging}` });
      });
      receiver.hold('');
      await seed.untilStored();
      return run;
    },
  };
}

async function timed(count: number, work: (count: number) => Promise<void>): Promise<Run> {
  const startedMs = performance.now();
  await work(count);
  return runOf(count, (performance.now() - startedMs) / 1_000);
}

function ninths(run: Run): Run {
  return { ...run, perSecond: run.perSecond * healthyShare };
}

async function floorSide(stage: Stage, { seed, receiver }: Scene): Promise<Side> {
  const { mongodbUri } = stage.infrastructure;
  const child = await stage.program('floors/webhooks', { MONGODB_URI: mongodbUri });
  const deliveries = seed.floorIn(floorDatabase);
  await resetWithIndexesOf(seed.deliveries, deliveries);
  await deliveries.insertOne(await anyDocumentOf(seed.deliveries));
  const body = await seed.body();
  return {
    name: 'floor',
    pids: () => ({ 'floor loop': child.pid ?? 0 }),
    run: async (seconds) => {
      const count = Math.round(seconds * eventsPerSecond) * endpointsCount;
      const { origin } = receiver;
      const job: FloorJob = { database: floorDatabase, origin, path: '/floor', body, count };
      const { seconds: taken } = await runJob<{ seconds: number }>(child, job);
      return runOf(count, taken);
    },
  };
}

async function openSeeds(system: StagedSystem, origin: string) {
  const healthy = await WebhookSeed.open(system, { origin, name: 'healthy' });
  const hanging = await WebhookSeed.open(system, { origin, name: 'hanging' });
  // The events of their first subscriptions.
  for (const seed of [healthy, hanging]) await seed.untilStored();
  return { healthy, hanging };
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

async function startReceiver(stage: Stage) {
  const port = await stage.freePort();
  const child: ChildProcess = await stage.program('floors/webhook-receiver', {
    PORT: String(port),
  });
  const send = (job: ReceiverJob) => child.send(job);
  return {
    origin: `http://127.0.0.1:${String(port)}`,
    hold: (path: string) => send({ hold: path }),
    /** Resolves when this many messages have arrived at paths with the prefix. */
    expect: async (prefix: string, count: number): Promise<void> => {
      send({ expect: { prefix, count } });
      await once(child, 'message');
    },
  };
}
