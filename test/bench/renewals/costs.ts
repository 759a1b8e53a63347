import { inSpan, startTracing, type TracingOptions } from '@billing/chassis/tracing';
import { startSystem } from '@billing/local/system';
import type { Bench, CountTable } from '../report/bench';
import { add, CommandCounts } from '../figures/command-counts';
import { RenewalSeed } from './seed';
import { createDue, renewedRun } from './renewal-side';
import type { Stage } from '../stage/stage';

type SpanProcessor = NonNullable<TracingOptions['spanProcessors']>[number];

const due = 100;

/** The cost of a hundred renewals in database commands and calls, by name. */
export const renewalCosts: Bench = {
  name: 'renewal-costs',
  title: 'database commands and gRPC calls of 100 due renewals',
  run: async (stage) => {
    stage.log(`Counting the cost of ${String(due)} renewals`);
    const calls = new Map<string, number>();
    const tracing = startTracing({ spanProcessors: [countInto(calls)] });
    try {
      const commands = await renewOnce(stage, calls);
      return { counts: [tableOf(commands, calls)] };
    } finally {
      await tracing.shutdown();
    }
  },
};

async function renewOnce(stage: Stage, calls: Map<string, number>): Promise<CommandCounts> {
  const commands = new CommandCounts();
  const site = await stage.siteOf('costs', {});
  // The span also records work that services do without a caller.
  const system = await inSpan({ name: 'bench', kind: 'internal' }, () =>
    commands.of(() => startSystem(site)),
  );
  const keys = await stage.keysOf(system);
  const seed = await RenewalSeed.open({ gatewayUrl: system.gatewayUrl, keys, site });
  try {
    const made = await createDue(seed, due);
    commands.start();
    calls.clear();
    await renewedRun(seed, made);
    commands.stop();
  } finally {
    await seed.close();
    await system.stop();
  }
  return commands;
}

function tableOf(
  { times, written }: CommandCounts,
  calls: ReadonlyMap<string, number>,
): CountTable {
  const sumOf = (counts: ReadonlyMap<string, number>) =>
    [...counts.values()].reduce((sum, count) => sum + count, 0);
  const writes = [...written.keys()].reduce((sum, name) => sum + (times.get(name) ?? 0), 0);
  const sums = [
    ['all database commands', sumOf(times), 0],
    ['of these writes', writes, sumOf(written)],
  ] as const;
  const rows = [...times, ...calls]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => [name, count, written.get(name) ?? 0] as const);
  return {
    title: `${String(due)} due renewals up to the last empty outbox, including polls`,
    columns: ['what', 'times', 'documents written'],
    rows: [...sums, ...rows].map(([name, count, documents]) => [
      name,
      String(count),
      documents === 0 ? '' : String(documents),
    ]),
  };
}

// OpenTelemetry's number for the server kind.
const serverKind = 1;

/** Both ends of a call have a span; the server's is skipped. */
function countInto(calls: Map<string, number>): SpanProcessor {
  return {
    onStart: () => undefined,
    onEnd: ({ name, kind }) => {
      if (!/^(grpc|publish) /.test(name) || (kind as number) === serverKind) return;
      add(calls, name, 1);
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
}
