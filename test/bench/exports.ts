import { get } from 'node:http';
import { newId } from '@billing/chassis/ids';
import { sliceOf } from '@billing/chassis/slices';
import { ApiClient } from '../support/api-client';
import type { Bench, Effort, FigureTable } from './report/bench';
import { compare, runOf, type Side } from './figures/comparison';
import { judge, sampleOf, spreadText } from './figures/statistics';
import type { FloorJob } from './floors/export-reads';
import { nowMs, RenewalSeed } from './renewals/seed';
import { demandText } from './report/report';
import type { Stage, StagedSystem } from './stage/stage';
import { TimedGenerator } from './stage/timed-generator';
import { runJob, type Work } from './stage/program';

const rows = { quick: 10_000, usual: 100_000 };
const insertBatchSize = 1_000;
const spanMs = 365 * 24 * 60 * 60 * 1_000;
const readsPerSecond = 50;
const slowdownMax = { atMost: 2 };

/** Exports of invoices, and live reads next to them. */
export const exportsOfInvoices: Bench = {
  name: 'exports',
  title: 'GET /v1/exports/invoices.ndjson',
  run: async (stage, effort) => {
    const system = await stage.system();
    const seed = await RenewalSeed.open(system);
    try {
      const count = effort.isQuick ? rows.quick : rows.usual;
      stage.log(`exports: storing ${String(count)} invoices`);
      await storeInvoices(seed, count);
      const exported = await compare({
        ...effort,
        // A run is one export, however long it takes.
        warmUpSeconds: 0,
        id: 'E1',
        title: `export of ${String(count)} invoices : a cursor and JSON.stringify in one process`,
        unit: 'invoices/s',
        ours: exportSide(system),
        floor: await floorSide(stage, { system, seed }),
        demand: { atLeast: 0.4 },
        sharedPids: () => stage.sharedPids(),
        log: stage.log,
      });
      return { comparisons: [exported], figures: [await slowdown(stage, system, effort)] };
    } finally {
      await seed.close();
    }
  },
};

/** Stores paid invoices of a year, copies of the template's first invoice. */
async function storeInvoices(
  { invoices, template }: Pick<RenewalSeed, 'invoices' | 'template'>,
  count: number,
): Promise<void> {
  const first = await invoices.findOne({ environmentId: template.environmentId });
  if (first === null) throw new Error('The template has no invoice');
  const idle = { pendingSince: null, dueAt: null, recoverAt: null, awaitsProviderSince: null };
  const startMs = nowMs() - spanMs;
  for (let from = 0; from < count; from += insertBatchSize) {
    const documents = Array.from(
      { length: Math.min(insertBatchSize, count - from) },
      (_, index) => {
        const _id = newId();
        const createdAt = new Date(startMs + ((from + index) / count) * spanMs);
        const paid = { status: 'PAID', paidAt: createdAt, createdAt, updatedAt: createdAt };
        return { ...first, ...idle, ...paid, _id, slice: sliceOf(_id) };
      },
    );
    await invoices.insertMany(documents, { ordered: false });
  }
}

function exportSide(system: StagedSystem): Side {
  return {
    name: 'billing',
    pids: system.pids,
    run: async () => {
      const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
      const operations = await exportOnce(system);
      const taken = (performance.now() - startMs) / 1_000;
      const { user, system: kernel } = process.cpuUsage(startCpu);
      const generatorCpu = (user + kernel) / 1e6 / taken;
      return { operations, perSecond: operations / taken, generatorCpu };
    },
  };
}

/** Reads a complete export; returns the number of its rows. */
function exportOnce({ gatewayUrl, keys }: StagedSystem): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${keys.testKey}` };
    const url = `${gatewayUrl}/v1/exports/invoices.ndjson`;
    get(url, { headers, agent: false }, (response) => {
      response.resume();
      response.on('error', reject);
      response.on('end', () => {
        const exportedRows = response.trailers['export-rows'];
        if (exportedRows === undefined) reject(new Error('The export is not complete'));
        else resolve(Number(exportedRows));
      });
    }).on('error', reject);
  });
}

async function floorSide(
  stage: Stage,
  { system, seed }: { readonly system: StagedSystem; readonly seed: RenewalSeed },
): Promise<Side> {
  const { mongodbUri } = stage.infrastructure;
  const child = await stage.program('floors/export-reads', { MONGODB_URI: mongodbUri });
  const job: FloorJob = {
    database: `${system.site.databasePrefix}_checkout`,
    environmentId: seed.template.environmentId as string,
  };
  return {
    name: 'floor',
    pids: () => ({ 'floor loop': child.pid ?? 0 }),
    run: async () => {
      const { operations, seconds: taken } = await runJob<Work>(child, job);
      return runOf(operations, taken);
    },
  };
}

/** Latency of live reads while a sandbox is exported, against that without the export. */
async function slowdown(stage: Stage, system: StagedSystem, effort: Effort): Promise<FigureTable> {
  const live = new ApiClient(system.gatewayUrl, system.keys.liveKey);
  const { id } = await live.expect(201, live.post('/customers', { email: 'ada@example.com' }));
  const generator = await TimedGenerator.start(stage);
  const read = () =>
    generator.run({
      url: system.gatewayUrl,
      headers: { Authorization: `Bearer ${system.keys.liveKey}` },
      seconds: effort.seconds * 2,
      pace: { kind: 'open', perSecond: readsPerSecond },
      work: { kind: 'get', paths: [`/v1/customers/${String(id)}`] },
    });
  const pairs: { alone: number; during: number; cpuShare: number }[] = [];
  for (let pair = 1; pair <= effort.pairs; pair += 1) {
    const alone = await read();
    const ending = new AbortController();
    const exporting = exportUntil(system, ending.signal);
    const during = await read();
    ending.abort();
    await exporting;
    const p99 = { alone: alone.latencyMs.p99, during: during.latencyMs.p99 };
    pairs.push({ ...p99, cpuShare: Math.max(alone.cpuShare, during.cpuShare) });
    stage.log(`exports: p99 ${p99.during.toFixed(1)} : ${p99.alone.toFixed(1)} ms`);
  }
  const floor = sampleOf(pairs.map(({ alone }) => alone));
  const ratio = sampleOf(pairs.map(({ alone, during }) => during / alone));
  const generatorCpu = Math.max(...pairs.map(({ cpuShare }) => cpuShare));
  const during = sampleOf(pairs.map((pair) => pair.during));
  return {
    title: `GET customer, live, ${String(readsPerSecond)} a second at fixed times, during an export of a sandbox`,
    columns: ['p99 during, ms', 'p99 alone, ms', 'ratio', 'demand', 'verdict'],
    rows: [
      [
        ...[during, floor, ratio].map(spreadText),
        demandText(slowdownMax),
        judge({ ratio, floor, generatorCpu, demand: slowdownMax }),
      ],
    ],
  };
}

async function exportUntil(system: StagedSystem, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await exportOnce(system);
}
