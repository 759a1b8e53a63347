import type { Bench, Effort, FigureTable } from '../report/bench';
import { compare, runOf, type Side } from '../figures/comparison';
import { judgeLimit, percentileOf } from '../figures/statistics';
import type { FloorJob } from '../floors/feed-reads';
import type { Stage, StagedSystem } from '../stage/stage';
import { TimedGenerator } from '../stage/timed-generator';
import { FeedSeed, sandboxOf } from './seed';
import { runJob, type Work } from '../stage/program';

const pageSize = 1_000;
const inFlight = 4;
const startsCount = 50;
const lengths = { few: 2_000, quick: 20_000, usual: 1_000_000 };
const eventsPerSecond = 200;
const delayMsMax = 1_500;
const waitSeconds = 20;
const giveUpMs = 120_000;

/** The feed: reads of full pages, and the delay until a new event is in it. */
export const feed: Bench = {
  name: 'feed',
  title: 'GET /v1/webhook-events',
  run: async (stage, effort) => {
    const system = await stage.system();
    const generator = await TimedGenerator.start(stage);
    const long = effort.isQuick ? lengths.quick : lengths.usual;
    const [few, many] = await Promise.all(
      [lengths.few, long].map((length) => seedOf({ stage, system, length })),
    );
    if (few === undefined || many === undefined) throw new Error('A feed is missing');
    const shared = { ...effort, unit: 'pages/s', sharedPids: () => stage.sharedPids() };
    try {
      const longFeed = pagesSide({ system, generator, seed: many, length: long });
      const read = await compare({
        ...shared,
        id: 'F1',
        title: `pages of ${String(pageSize)} events, ${String(inFlight)} in flight : the same documents by the driver`,
        ours: longFeed,
        floor: await floorSide(stage, { system, seed: many, length: long }),
        demand: { atLeast: 0.5 },
        log: stage.log,
      });
      const grown = await compare({
        ...shared,
        id: 'F2',
        title: `pages of a feed of ${String(long)} events : of ${String(lengths.few)}`,
        ours: longFeed,
        floor: pagesSide({ system, generator, seed: few, length: lengths.few }),
        demand: { atLeast: 1 / 1.2 },
        log: stage.log,
      });
      const figures = [await delays(system, effort)];
      return { comparisons: [read, grown], figures };
    } finally {
      await few.close();
      await many.close();
    }
  },
};

async function seedOf({
  stage,
  system,
  length,
}: {
  stage: Stage;
  system: StagedSystem;
  length: number;
}): Promise<FeedSeed> {
  const name = `Feed of ${String(length)}`;
  stage.log(`feed: storing ${String(length)} events`);
  const seed = await FeedSeed.open(system, { name, type: 'customer.created' });
  await seed.extendBy(length);
  return seed;
}

/** Positions before full pages, distributed over the feed. */
function startsOf(length: number): number[] {
  const last = length - pageSize;
  return Array.from({ length: startsCount }, (_, index) =>
    Math.floor((index * last) / (startsCount - 1)),
  );
}

interface Pages {
  readonly system: StagedSystem;
  readonly seed: FeedSeed;
  readonly length: number;
}

function pagesSide({
  system,
  generator,
  seed,
  length,
}: Pages & { readonly generator: TimedGenerator }): Side {
  const paths = startsOf(length).map(
    (after) => `/v1/webhook-events?limit=${String(pageSize)}&after=${String(after)}`,
  );
  return {
    name: `${String(length)} events`,
    pids: system.pids,
    run: async (seconds) => {
      const {
        answered,
        seconds: taken,
        cpuShare,
      } = await generator.run({
        url: system.gatewayUrl,
        headers: { Authorization: `Bearer ${String(seed.api.key)}` },
        seconds,
        pace: { kind: 'closed', inFlight },
        work: { kind: 'get', paths },
      });
      return { operations: answered, perSecond: answered / taken, generatorCpu: cpuShare };
    },
  };
}

async function floorSide(stage: Stage, { system, seed, length }: Pages): Promise<Side> {
  const { mongodbUri } = stage.infrastructure;
  const child = await stage.program('floors/feed-reads', { MONGODB_URI: mongodbUri });
  const { environmentId } = seed;
  const starts = startsOf(length).map((position) => seed.entryId(position));
  const database = `${system.site.databasePrefix}_notifier`;
  return {
    name: 'floor',
    pids: () => ({ 'floor loop': child.pid ?? 0 }),
    run: async (seconds) => {
      const job: FloorJob = { database, environmentId, starts, pageSize, seconds, inFlight };
      const { operations, seconds: taken } = await runJob<Work>(child, job);
      return runOf(operations, taken);
    },
  };
}

/** Creates customers at fixed times, and reads their events from the feed by long poll. */
async function delays(system: StagedSystem, { seconds }: Effort): Promise<FigureTable> {
  const count = eventsPerSecond * seconds * 2;
  const { api } = await sandboxOf(system, 'Delays');
  const send = senderOf(system.gatewayUrl, String(api.key));
  const createdMs = new Map<string, number>();
  const reading = readOn(send, count);
  const startMs = performance.now();
  const creations = Array.from({ length: count }, async (_, index) => {
    const dueMs = startMs + (index * 1_000) / eventsPerSecond;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
    const { id } = await send('POST', '/customers', { email: 'grace@example.com' });
    createdMs.set(id as string, performance.now());
  });
  await Promise.all(creations);
  const seenMs = await reading;
  const delaysMs = [...createdMs].map(([id, ms]) => Math.max(0, (seenMs.get(id) ?? Infinity) - ms));
  const percentiles = [0.5, 0.95, 0.99, 1].map((share) => percentileOf(delaysMs, share));
  const [, , p99 = Infinity] = percentiles;
  return {
    title: `From the answer of POST /v1/customers, ${String(eventsPerSecond)} a second, until a reader of the feed has the event; p99 at most ${String(delayMsMax)} ms`,
    columns: ['events', 'p50, ms', 'p95, ms', 'p99, ms', 'max, ms', 'verdict'],
    rows: [
      [
        String(count),
        ...percentiles.map((ms) => ms.toFixed(0)),
        judgeLimit(p99, { atMost: delayMsMax, isReduced: false }),
      ],
    ],
  };
}

interface CreatedCustomer {
  readonly event: { readonly data: { readonly customer: { readonly id: string } } };
}

/** Reads a feed by long poll until it has shown this many customers; returns when, by id. */
async function readOn(send: Send, count: number): Promise<Map<string, number>> {
  const seenMs = new Map<string, number>();
  const giveUpAtMs = performance.now() + giveUpMs;
  for (let after = '0'; seenMs.size < count;) {
    const query = `after=${after}&limit=${String(pageSize)}&wait=${String(waitSeconds)}&types=customer.created`;
    const page = await send('GET', `/webhook-events?${query}`);
    for (const { event } of page.data as CreatedCustomer[]) {
      seenMs.set(event.data.customer.id, performance.now());
    }
    if (performance.now() > giveUpAtMs) throw new Error('Not all events arrived in time');
    after = page.nextAfter as string;
  }
  return seenMs;
}

type Send = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

/** Sends requests without the checks of the tests' clients, which would count as delay. */
function senderOf(gatewayUrl: string, key: string): Send {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  return async (method, path, body) => {
    const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${gatewayUrl}/v1${path}`, sent);
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
    return (await response.json()) as Record<string, unknown>;
  };
}
