import { type Document, MongoClient } from 'mongodb';
import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { sliceOf } from '@billing/chassis/slices';
import type { Bench, FigureTable } from '../report/bench';
import { compare, runOf, type Run, type Side } from '../figures/comparison';
import { peakMbOf, resetPeakOf, residentMbOf } from '../figures/process-memory';
import { createResource, inNewSandbox, setSeller } from '../stage/api';
import { type Documents, documentsOf, settled } from '../stage/floor-data';
import type { Stage, StagedSystem } from '../stage/stage';
import { runJob, type Work } from '../stage/program';

const invoiceCounts = { quick: 10_000, usual: 100_000 };
const months = 12;
// The share of the invoices that the report of the last month reads, to compare its memory.
const lastMonthShare = 0.01;
const insertBatchSize = 500;
const dayMs = 24 * 60 * 60 * 1_000;

/** Invoices of one sandbox, and the reports of them. */
interface Reported {
  readonly stage: Stage;
  /** With the key of the sandbox. */
  readonly system: StagedSystem;
  readonly environmentId: string;
  readonly whole: Span;
  readonly lastMonth: Span;
}

/** Days of a report, [from, to), and the number of its invoices. */
interface Span {
  readonly from: Date;
  readonly to: Date;
  readonly count: number;
}

/** M4: the tax report of many invoices, and the memory that it needs. */
export const taxReport: Bench = {
  name: 'tax-report',
  title: 'GET /v1/tax-report of 100,000 invoices',
  run: async (stage, effort) => {
    const count = effort.isQuick ? invoiceCounts.quick : invoiceCounts.usual;
    const reported = await storeInvoices(stage, count);
    const memory = await memoryTable(reported);
    const comparison = await compare({
      ...effort,
      id: 'M4',
      title: `tax report of ${String(count)} invoices : a cursor over the same fields by the driver`,
      unit: 'invoices/s',
      ours: ourSide(reported),
      floor: await floorSide(reported),
      demand: { atLeast: 0.4 },
      sharedPids: () => stage.sharedPids(),
      log: stage.log,
    });
    return { comparisons: [comparison], figures: [memory] };
  },
};

/** Stores copies of an invoice with two rates, most of them of the months before this one. */
async function storeInvoices(stage: Stage, count: number): Promise<Reported> {
  const system = await inNewSandbox(await stage.system(), 'tax report');
  await setSeller(system);
  const post = (path: string, body: object) => createResource(system, path, body);
  await post('/tax-rates', { country: 'DE', category: 'ebook', percent: '7', name: 'USt' });
  const customer = await post('/customers', {
    ...{ email: 'bench@example.com', name: 'Grace Hopper', address: { country: 'DE' } },
  });
  const { id } = await post('/invoices', {
    ...{ customerId: customer.id, collectionMethod: 'SEND_INVOICE', finalize: true },
    lines: [
      { description: 'Setup', amount: 1_000 },
      { description: 'Handbook', amount: 555, taxCategory: 'ebook' },
    ],
  });
  const client = new MongoClient(system.site.mongodbUri, { promoteLongs: false });
  await client.connect();
  try {
    const invoices = documentsOf(client, `${system.site.databasePrefix}_checkout`, 'invoices');
    const template = await settled(invoices, { _id: id, status: 'OPEN' });
    const thisMonth = startOfMonth(systemClock.now(), 0);
    const ofLastMonth = Math.round(count * lastMonthShare);
    stage.log(`M4: storing ${String(count)} invoices`);
    // One of this month is the template.
    await store(invoices, template, { count: ofLastMonth - 1, at: () => thisMonth });
    await store(invoices, template, {
      count: count - ofLastMonth,
      at: (index) => startOfMonth(thisMonth, 1 + (index % (months - 1))),
    });
    const to = new Date(Math.floor(systemClock.now().getTime() / dayMs + 1) * dayMs);
    return {
      ...{ stage, system, environmentId: String(template.environmentId) },
      whole: { from: startOfMonth(thisMonth, months - 1), to, count },
      lastMonth: { from: thisMonth, to, count: ofLastMonth },
    };
  } finally {
    await client.close();
  }
}

async function store(
  invoices: Documents,
  template: Document,
  { count, at }: { readonly count: number; readonly at: (index: number) => Date },
): Promise<void> {
  for (let from = 0; from < count; from += insertBatchSize) {
    const length = Math.min(insertBatchSize, count - from);
    const copies = Array.from({ length }, (_one, place) => {
      const time = at(from + place);
      const _id = newId();
      const finalization = { ...(template.finalization as Document), at: time };
      const movedMonth = time.toISOString().slice(0, 7);
      const times = { finalization, movedMonth, createdAt: time, updatedAt: time };
      return { ...template, ...times, slice: sliceOf(_id), _id };
    });
    await invoices.insertMany(copies, { ordered: false });
  }
}

function ourSide(reported: Reported): Side {
  return {
    name: 'billing',
    pids: reported.system.pids,
    run: async (seconds) => {
      const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
      const elapsed = () => (performance.now() - startMs) / 1_000;
      let operations = 0;
      while (elapsed() < seconds) {
        await report(reported, reported.whole);
        operations += reported.whole.count;
      }
      const taken = elapsed();
      const { user, system: kernel } = process.cpuUsage(startCpu);
      const generatorCpu = (user + kernel) / 1e6 / taken;
      return { operations, perSecond: operations / taken, generatorCpu };
    },
  };
}

async function floorSide({ stage, system, environmentId, whole }: Reported): Promise<Side> {
  const { mongodbUri } = stage.infrastructure;
  const child = await stage.program('floors/tax-report', { MONGODB_URI: mongodbUri });
  const job = {
    ...{ database: `${system.site.databasePrefix}_checkout`, environmentId },
    ...{ month: whole.from.toISOString().slice(0, 7), to: whole.to.toISOString() },
  };
  return {
    name: 'floor',
    pids: () => ({ 'floor loop': child.pid ?? 0 }),
    run: async (seconds): Promise<Run> => {
      const { operations, seconds: taken } = await runJob<Work>(child, { ...job, seconds });
      if (operations % whole.count > 0) throw new Error(`The floor read ${String(operations)}`);
      return runOf(operations, taken);
    },
  };
}

/** Reads a report. Throws unless it counts all invoices in both of their rows. */
async function report(
  { system: { gatewayUrl, keys } }: Reported,
  { from, to, count }: Span,
): Promise<void> {
  const days = `from=${dayOf(from)}&to=${dayOf(to)}`;
  const response = await fetch(`${gatewayUrl}/v1/tax-report?${days}`, {
    headers: { Authorization: `Bearer ${keys.testKey}` },
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`GET /tax-report: ${text}`);
  const counts = (JSON.parse(text) as { invoices: number }[]).map(({ invoices }) => invoices);
  if (counts.join() !== `${String(count)},${String(count)}`) {
    throw new Error(`The report counts ${counts.join(' and ')} of ${String(count)} invoices`);
  }
}

/** Peak of checkout's memory by the number of invoices read: it keeps sums alone. */
async function memoryTable(reported: Reported): Promise<FigureTable> {
  const { system, whole, lastMonth } = reported;
  const pid = system.pids().checkout ?? 0;
  const before = residentMbOf({ checkout: pid }).checkout ?? 0;
  const peakOf = async (span: Span) => {
    resetPeakOf(pid);
    await report(reported, span);
    return peakMbOf(pid);
  };
  const few = await peakOf(lastMonth);
  const [first, second] = [await peakOf(whole), await peakOf(whole)];
  const counts = [lastMonth, whole, whole].map(({ count }) => `${String(count)} invoices`);
  return {
    title: 'M4: memory of checkout in MB, before a report and its peak during reports',
    columns: ['before', ...counts, 'last : before'],
    rows: [
      [...[before, few, first, second].map((mb) => mb.toFixed(0)), (second / before).toFixed(2)],
    ],
  };
}

function startOfMonth(at: Date, monthsBefore: number): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - monthsBefore, 1));
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
