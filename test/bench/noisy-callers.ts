import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from '../support/api-client';
import type { Bench, Effort, FigureTable } from './bench';
import type { Latency } from './figures/latency-histogram';
import { demandText } from './report';
import { judge, sampleOf, spreadText } from './figures/statistics';
import type { Stage, StagedSystem } from './stage/stage';
import { TimedGenerator } from './stage/timed-generator';

const getsPerSecond = 50;
const slowdownMax = { atMost: 2 };
const startsAt = '2026-01-01T00:00:00Z';
const fiveYearsLater = '2030-12-31T00:00:00Z';
const advanceCount = 300;
const slowCallerCount = 1_000;
const sandboxCount = 5;
const retryMs = 5_000;
// Reads before each measurement: advances yield to live environments in steady use.
const settleSeconds = 10;

/** Background load that runs until it is stopped. */
interface Noise {
  readonly name: string;
  readonly start: (signal: AbortSignal) => Promise<void>;
}

/** Latency of live readers during abusive load from other callers. */
export const noisyCallers: Bench = {
  name: 'noisy-callers',
  title: 'live reads during waiting advances, slow callers and busy sandboxes',
  run: async (stage, effort) => {
    const system = await stage.system();
    const live = new ApiClient(system.gatewayUrl, system.keys.liveKey);
    const noises = [await waitingAdvances(live), slowCallers(system), busySandboxes(live)];
    const reader = await TimedGenerator.start(stage);
    const read = await readsOf(live, { system, reader });
    await read(effort.warmUpSeconds);
    const figures: FigureTable[] = [];
    for (const noise of noises) figures.push(await tableOf(noise, { stage, effort, read }));
    return { figures };
  },
};

type Reads = (seconds: number) => Promise<{ latencyMs: Latency; cpuShare: number }>;

async function readsOf(
  live: ApiClient,
  { system, reader }: { system: StagedSystem; reader: TimedGenerator },
): Promise<Reads> {
  const { id } = await live.expect(201, live.post('/customers', { email: 'ada@example.com' }));
  return (seconds) =>
    reader.run({
      url: system.gatewayUrl,
      headers: { Authorization: `Bearer ${system.keys.liveKey}` },
      seconds,
      pace: { kind: 'open', perSecond: getsPerSecond },
      work: { kind: 'get', paths: [`/v1/customers/${String(id)}`] },
    });
}

async function tableOf(
  { name, start }: Noise,
  { stage, effort, read }: { stage: Stage; effort: Effort; read: Reads },
): Promise<FigureTable> {
  const pairs: { alone: number; during: number }[] = [];
  let generatorCpu = 0;
  for (let pair = 1; pair <= effort.pairs; pair += 1) {
    const alone = await read(effort.seconds * 2);
    const ending = new AbortController();
    const noise = start(ending.signal);
    await read(settleSeconds);
    const during = await read(effort.seconds * 2);
    ending.abort();
    await noise;
    pairs.push({ alone: alone.latencyMs.p99, during: during.latencyMs.p99 });
    generatorCpu = Math.max(generatorCpu, alone.cpuShare, during.cpuShare);
    stage.log(`${name}: ${during.latencyMs.p99.toFixed(1)} : ${alone.latencyMs.p99.toFixed(1)} ms`);
  }
  const floor = sampleOf(pairs.map(({ alone }) => alone));
  const ratio = sampleOf(pairs.map(({ alone, during }) => during / alone));
  return {
    title: `GET customer, live, ${String(getsPerSecond)} a second at fixed times, during ${name}`,
    columns: ['p99 during, ms', 'p99 alone, ms', 'ratio', 'demand', 'verdict'],
    rows: [
      [
        spreadText(sampleOf(pairs.map(({ during }) => during))),
        spreadText(floor),
        spreadText(ratio),
        demandText(slowdownMax),
        judge({ ratio, floor, generatorCpu, demand: slowdownMax }),
      ],
    ],
  };
}

/** Three hundred callers of one sandbox that retry as soon as they may. */
async function waitingAdvances(live: ApiClient): Promise<Noise> {
  const sandbox = await dailySandbox(live);
  return {
    name: `${String(advanceCount)} waiting advances of one sandbox`,
    start: async (signal) => {
      const caller = async () => {
        while (!signal.aborted) {
          await advance(sandbox, signal);
          // Callers that respect Retry-After do not all return at the same instant.
          const pauseMs = retryMs * (1 + Math.random());
          await delay(pauseMs, undefined, { signal }).catch(() => undefined);
        }
      };
      await Promise.all(Array.from({ length: advanceCount }, caller));
      await sandbox.request('DELETE', '/sandboxes/clock/advance');
    },
  };
}

/**
 * From another address than the readers'. Each connection is cut off after its timeout, and opened
 * again.
 */
function slowCallers({ gatewayUrl }: StagedSystem): Noise {
  const { hostname, port } = new URL(gatewayUrl);
  const head =
    'POST /provider-events/stripe HTTP/1.1\r\nHost: x\r\nStripe-Signature: x\r\nContent-Length: 1000\r\n\r\n{';
  const caller = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.2' });
      const end = () => socket.destroy();
      signal.addEventListener('abort', end);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          signal.removeEventListener('abort', end);
          resolve();
        });
      socket.resume().write(head);
    });
  return {
    name: `${String(slowCallerCount)} slow callers without a key`,
    start: async (signal) => {
      const lane = async () => {
        while (!signal.aborted) {
          await caller(signal);
          await delay(1_000, undefined, { signal }).catch(() => undefined);
        }
      };
      await Promise.all(Array.from({ length: slowCallerCount }, lane));
    },
  };
}

/** Renewals of five years, in several sandboxes concurrently. */
function busySandboxes(live: ApiClient): Noise {
  return {
    name: `${String(sandboxCount)} sandboxes that advance by five years`,
    start: async (signal) => {
      const sandboxes = await Promise.all(
        Array.from({ length: sandboxCount }, () => dailySandbox(live)),
      );
      await Promise.all(sandboxes.map((sandbox) => advance(sandbox, signal)));
      for (const sandbox of sandboxes) {
        await sandbox.request('DELETE', '/sandboxes/clock/advance');
      }
    },
  };
}

async function advance(sandbox: ApiClient, signal: AbortSignal): Promise<void> {
  const body = { to: fiveYearsLater };
  await sandbox
    .request('POST', '/sandboxes/clock/advance', { body, signal })
    .catch(() => undefined);
}

async function dailySandbox(live: ApiClient): Promise<ApiClient> {
  const sandbox = await live.manualSandbox(startsAt);
  const made = async (path: string, body: object): Promise<string> =>
    (await sandbox.expect(201, sandbox.post(path, body))).id;
  const price = { type: 'FLAT', currency: 'USD', amount: 100, billingInterval: 'DAILY' };
  const productId = await made('/products', { name: 'Daily', ...price });
  const customerId = await made('/customers', { email: 'ada@example.com' });
  const authorizedTransactionId = 'txn_4242424242424242';
  await made('/subscriptions', { customerId, productId, authorizedTransactionId });
  return sandbox;
}
