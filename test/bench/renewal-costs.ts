import { inSpan, startTracing, type TracingOptions } from '@billing/chassis/tracing';
import { startSystem } from '@billing/local/system';
import type { Bench, CountTable } from './bench';
import { RenewalSeed } from './renewal-seed';
import { renewedRun } from './renewals';
import type { Stage } from './stage';

type SpanProcessor = NonNullable<TracingOptions['spanProcessors']>[number];

const due = 100;

/** What a hundred renewals cost in commands to the database and in calls, by what is called. */
export const renewalCosts: Bench = {
  name: 'renewal-costs',
  title: 'database commands and gRPC calls of 100 due renewals',
  run: async (stage) => {
    stage.log(`Counting what ${String(due)} renewals cost`);
    const counts = new Map<string, number>();
    const tracing = startTracing({ spanProcessors: [countInto(counts)] });
    try {
      // What services do without a caller is recorded below a span too.
      await inSpan({ name: 'bench', kind: 'internal' }, () => renewOnce(stage, counts));
    } finally {
      await tracing.shutdown();
    }
    return { counts: [tableOf(counts)] };
  },
};

async function renewOnce(stage: Stage, counts: Map<string, number>): Promise<void> {
  const site = await stage.siteOf('costs', {});
  const system = await startSystem(site);
  const keys = await stage.keysOf(system);
  const seed = await RenewalSeed.open({ gatewayUrl: system.gatewayUrl, keys, site });
  try {
    counts.clear();
    await renewedRun(seed, due);
  } finally {
    await seed.close();
    await system.stop();
  }
}

function tableOf(counts: ReadonlyMap<string, number>): CountTable {
  const rows = [...counts].sort(([, a], [, b]) => b - a);
  const total = (kind: RegExp) =>
    rows.reduce((sum, [name, count]) => (kind.test(name) ? sum + count : sum), 0);
  const sums = [
    ['all database commands', total(/^mongodb/)],
    ['of these writes', total(/^mongodb (?!find|aggregate|createIndexes)/)],
    ['all gRPC calls', total(/^grpc/)],
  ] as const;
  return {
    title: `${String(due)} due renewals up to the last empty outbox, with the polls meanwhile`,
    columns: ['what', 'times'],
    rows: [...sums, ...rows].map(([name, count]) => [name, String(count)]),
  };
}

// OpenTelemetry's number for the receiving end.
const serverKind = 1;

/** Both ends of a call have a span; the server's are left out. */
function countInto(counts: Map<string, number>): SpanProcessor {
  return {
    onStart: () => undefined,
    onEnd: ({ name, kind }) => {
      if (!/^(mongodb|grpc|publish) /.test(name) || (kind as number) === serverKind) return;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
}
