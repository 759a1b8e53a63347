import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from '../support/api-client';
import { dailySandbox } from '../support/daily-sandbox';
import type { Bench, Effort, FigureTable } from './report/bench';
import type { Latency } from './figures/latency-histogram';
import { demandText } from './report/report';
import { judge, sampleOf, spreadText } from './figures/statistics';
import type { Stage, StagedSystem } from './stage/stage';
import { TimedGenerator, type TimedJob } from './stage/timed-generator';

const readsPerSecond = 50;
const writesPerSecond = 20;
const slowdownMax = { atMost: 2 };
const daily = { startsAt: '2026-01-01T00:00:00Z', subscriptionCount: 3 };
const fiveYearsLater = '2030-12-31T00:00:00Z';
const advanceCount = 300;
const slowCallerCount = 1_000;
const sandboxCount = 5;
const retryMs = 5_000;
// Requests before each measurement: advances yield to live environments in steady use.
const settleSeconds = 10;

/** Requests of a live caller, whose latency is measured. */
interface Probe {
  readonly name: string;
  readonly perSecond: number;
  readonly work: TimedJob['work'];
}

/** Runs until it is stopped. */
type Load = (signal: AbortSignal) => Promise<void>;

/** Background load. */
interface Noise {
  readonly name: string;
  readonly probe: Probe;
  /** Creates the data of one run. */
  readonly prepare: () => Promise<Load>;
}

/** Latency of a live caller during abusive load from other callers. */
export const noisyCallers: Bench = {
  name: 'noisy-callers',
  title: 'live requests during waiting advances, slow callers and busy sandboxes',
  run: async (stage, effort) => {
    const system = await stage.system();
    const live = new ApiClient(system.gatewayUrl, system.keys.liveKey);
    const { id } = await live.expect(201, live.post('/customers', { email: 'ada@example.com' }));
    const noises = [
      waitingAdvances(live),
      slowCallers(system, `/v1/customers/${String(id)}`),
      busySandboxes(live),
    ];
    const generator = await TimedGenerator.start(stage);
    const figures: FigureTable[] = [];
    for (const noise of noises) {
      const send = sendsOf(noise.probe, { system, generator });
      await send(effort.warmUpSeconds);
      figures.push(await tableOf(noise, { stage, effort, send }));
    }
    return { figures };
  },
};

type Sends = (seconds: number) => Promise<{ latencyMs: Latency; cpuShare: number }>;

function sendsOf(
  { perSecond, work }: Probe,
  { system, generator }: { system: StagedSystem; generator: TimedGenerator },
): Sends {
  return (seconds) =>
    generator.run({
      url: system.gatewayUrl,
      headers: { Authorization: `Bearer ${system.keys.liveKey}` },
      seconds,
      pace: { kind: 'open', perSecond },
      work,
    });
}

async function tableOf(
  { name, probe, prepare }: Noise,
  { stage, effort, send }: { stage: Stage; effort: Effort; send: Sends },
): Promise<FigureTable> {
  const pairs: { alone: number; during: number }[] = [];
  let generatorCpu = 0;
  for (let pair = 1; pair <= effort.pairs; pair += 1) {
    const load = await prepare();
    const alone = await send(effort.seconds * 2);
    const ending = new AbortController();
    const noise = load(ending.signal);
    await send(settleSeconds);
    const during = await send(effort.seconds * 2);
    ending.abort();
    await noise;
    pairs.push({ alone: alone.latencyMs.p99, during: during.latencyMs.p99 });
    generatorCpu = Math.max(generatorCpu, alone.cpuShare, during.cpuShare);
    stage.log(`${name}: ${during.latencyMs.p99.toFixed(1)} : ${alone.latencyMs.p99.toFixed(1)} ms`);
  }
  const floor = sampleOf(pairs.map(({ alone }) => alone));
  const ratio = sampleOf(pairs.map(({ alone, during }) => during / alone));
  return {
    title: `${probe.name}, live, ${String(probe.perSecond)} a second at fixed times, during ${name}`,
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
function waitingAdvances(live: ApiClient): Noise {
  return {
    name: `${String(advanceCount)} waiting advances of one sandbox`,
    probe: {
      name: 'GET customers',
      perSecond: readsPerSecond,
      work: { kind: 'get', paths: ['/v1/customers'] },
    },
    prepare: async () => {
      const sandbox = await dailySandbox(live, daily);
      return async (signal) => {
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
      };
    },
  };
}

/**
 * From another address than the readers'. Each connection is cut off after its timeout, and opened
 * again.
 */
function slowCallers({ gatewayUrl }: StagedSystem, customer: string): Noise {
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
    probe: {
      name: 'GET customer',
      perSecond: readsPerSecond,
      work: { kind: 'get', paths: [customer] },
    },
    prepare: () =>
      Promise.resolve(async (signal) => {
        const lane = async () => {
          while (!signal.aborted) {
            await caller(signal);
            await delay(1_000, undefined, { signal }).catch(() => undefined);
          }
        };
        await Promise.all(Array.from({ length: slowCallerCount }, lane));
      }),
  };
}

/** Renewals of five years, in several sandboxes concurrently. */
function busySandboxes(live: ApiClient): Noise {
  return {
    name: `${String(sandboxCount)} sandboxes that advance by five years`,
    probe: {
      name: 'POST customers',
      perSecond: writesPerSecond,
      work: { kind: 'post', path: '/v1/customers', body: { email: 'grace@example.com' } },
    },
    prepare: async () => {
      const sandboxes = await Promise.all(
        Array.from({ length: sandboxCount }, () => dailySandbox(live, daily)),
      );
      return async (signal) => {
        await Promise.all(sandboxes.map((sandbox) => advance(sandbox, signal)));
        for (const sandbox of sandboxes) {
          await sandbox.request('DELETE', '/sandboxes/clock/advance');
        }
      };
    },
  };
}

async function advance(sandbox: ApiClient, signal: AbortSignal): Promise<void> {
  const body = { to: fiveYearsLater };
  await sandbox
    .request('POST', '/sandboxes/clock/advance', { body, signal })
    .catch(() => undefined);
}
