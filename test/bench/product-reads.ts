import type { Bench, Effort } from './report/bench';
import { compare, type Side } from './figures/comparison';
import type { LoadJob } from './stage/load-generator';
import type { Stage, StagedSystem } from './stage/stage';

// More connections add latency and no throughput: far fewer already saturate one core of the
// gateway.
const connections = 32;
// All products fit into every cache: the measurement covers the path through the services.
const productCount = 100;
// After these the compiler has little left to do.
const warmUpOperations = 6_000;

/**
 * P1 and P2: GET /v1/products/:id against the minimal program that could serve it, and with tracing
 * against without.
 */
export const productReads: Bench = {
  name: 'products',
  title: 'GET /v1/products/:id',
  run: async (stage, effort) => {
    const system = await stage.system();
    const ids = await createProducts(system);
    const job = { connections, requests: ids.map(requestOf), headers: keyOf(system) };
    const ours = sideOf(stage, { name: 'billing', url: system.gatewayUrl, pids: system.pids }, job);
    const floor = await floorSide(stage, job);
    await expectSameAnswer(ours.url, floor.url, job);
    return {
      comparisons: [
        await compare({
          ...settings(stage, effort),
          id: 'P1',
          title: 'GET product : Express + gRPC + one find',
          ours,
          floor,
          demand: { atLeast: 0.65 },
        }),
        await compare({
          ...settings(stage, effort),
          id: 'P2',
          title: 'GET product, 5 % of traces recorded : tracing off',
          ours: await tracedSide(stage, job),
          floor: { ...ours, name: 'tracing off' },
          demand: { atLeast: 0.8 },
        }),
      ],
    };
  },
};

type Job = Omit<LoadJob, 'url' | 'seconds'>;

function settings(stage: Stage, effort: Effort) {
  const sharedPids = () => stage.sharedPids();
  return { ...effort, warmUpOperations, unit: 'requests/s', sharedPids, log: stage.log };
}

async function createProducts({ gatewayUrl, ...system }: StagedSystem): Promise<string[]> {
  const ids: string[] = [];
  for (let number = 1; number <= productCount; number += 1) {
    const response = await fetch(`${gatewayUrl}/v1/products`, {
      method: 'POST',
      headers: { ...keyOf(system), 'Content-Type': 'application/json' },
      body: JSON.stringify({
        name: `Product ${String(number)}`,
        type: 'FLAT',
        currency: 'USD',
        amount: 2900,
        billingInterval: 'MONTHLY',
      }),
    });
    if (response.status !== 201) throw new Error(`No product: ${await response.text()}`);
    const { id } = (await response.json()) as { id: string };
    ids.push(id);
  }
  return ids;
}

function requestOf(id: string): LoadJob['requests'][number] {
  return { method: 'GET', path: `/v1/products/${id}` };
}

function keyOf({ keys }: Pick<StagedSystem, 'keys'>): Record<string, string> {
  return { Authorization: `Bearer ${keys.testKey}` };
}

function sideOf(
  stage: Stage,
  { name, url, pids }: Pick<Side, 'name' | 'pids'> & { url: string },
  job: Job,
): Side & { url: string } {
  return {
    name,
    url,
    pids,
    run: async (seconds) => {
      const { answered, perSecond, latencyMs, cpuShare } = await stage.generator.run({
        ...job,
        url,
        seconds,
      });
      return { operations: answered, perSecond, latencyMs, generatorCpu: cpuShare };
    },
  };
}

async function floorSide(stage: Stage, job: Job): Promise<Side & { url: string }> {
  const address = stage.socket('floor');
  const port = await stage.freePort();
  const service = await stage.program('floors/product-service', {
    MONGODB_URI: stage.infrastructure.mongodbUri,
    MONGODB_DATABASE: stage.databaseOf('catalog'),
    GRPC_LISTEN: address,
  });
  const gateway = await stage.program('floors/product-gateway', {
    GRPC_ADDRESS: address,
    HTTP_PORT: String(port),
  });
  const pids = () => ({ 'floor gateway': gateway.pid ?? 0, 'floor service': service.pid ?? 0 });
  return sideOf(stage, { name: 'floor', url: `http://127.0.0.1:${String(port)}`, pids }, job);
}

async function tracedSide(stage: Stage, job: Job): Promise<Side> {
  const port = await stage.freePort();
  await stage.program('floors/null-collector', { HTTP_PORT: String(port) });
  const otlpEndpoint = `http://127.0.0.1:${String(port)}`;
  const traced = await stage.system({
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: otlpEndpoint, TRACE_SAMPLE_RATIO: '0.05' },
  });
  return sideOf(stage, { name: '5 % traced', url: traced.gatewayUrl, pids: traced.pids }, job);
}

/** A floor that returned less than the full response would be no valid floor. */
async function expectSameAnswer(ours: string, floor: string, { requests, headers }: Job) {
  const path = requests[0]?.path ?? '';
  const read = async (url: string) => (await fetch(`${url}${path}`, { headers })).text();
  const [answer, least] = await Promise.all([read(ours), read(floor)]);
  if (answer !== least)
    throw new Error(`The floor's response differs: ${least}, expected ${answer}`);
}
