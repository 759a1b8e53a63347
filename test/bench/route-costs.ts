import { type CreationCost, measureCreationCosts } from '../gateway/creation-costs';
import type { IdleCosts } from '../gateway/idle-costs';
import { measureRequestCosts } from '../gateway/request-costs';
import type { Bench, CountTable } from './report/bench';

/**
 * Exact on every machine: the calls and database commands that one request of each route causes
 * before its response, everything that a creation of a paid subscription causes, and what an idle
 * system sends.
 */
export const routeCosts: Bench = {
  name: 'routes',
  title: 'gRPC calls and database commands of each route',
  run: async (stage) => {
    stage.log('Counting gRPC calls and database commands of every route');
    // The counted system runs in this process, on the same servers.
    process.env.MONGODB_URI = stage.infrastructure.mongodbUri;
    process.env.NATS_URL = stage.infrastructure.natsUrl;
    const costs = await measureRequestCosts();
    const { creations, idle } = await measureCreationCosts();
    return {
      counts: [
        ...creations.map(tableOf),
        idleTable(idle),
        {
          title: 'Cost of one request',
          columns: ['route', 'calls', 'commands', 'which'],
          rows: costs.map(({ route, status, calls, commands }) => [
            `${route}${status < 400 ? '' : ` (${String(status)})`}`,
            String(calls.length),
            String(commands.length),
            [...calls, ...commands].join(', '),
          ]),
        },
      ],
    };
  },
};

function tableOf({ name, services }: CreationCost): CountTable {
  const sumOf = (counts: Readonly<Record<string, number>>) =>
    Object.values(counts).reduce((sum, count) => sum + count, 0);
  const listOf = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([what, count]) => `${what} × ${String(count)}`);
  return {
    title: `${name}, until all its work is done`,
    columns: ['service', 'calls', 'commands', 'documents written', 'published', 'which'],
    rows: Object.entries(services).map(([service, { calls, commands, written, published }]) => [
      service,
      String(sumOf(calls)),
      String(sumOf(commands)),
      String(written),
      String(sumOf(published)),
      [...listOf(calls), ...listOf(commands), ...listOf(published)].join(', '),
    ]),
  };
}

function idleTable({ ms, services }: IdleCosts): CountTable {
  const perSecond = (count: number) => ((count * 1_000) / ms).toFixed(2);
  return {
    title: 'Database commands of an idle system',
    columns: ['service', 'per second', 'which'],
    rows: Object.entries(services).map(([service, commands]) => [
      service,
      perSecond(Object.values(commands).reduce((sum, count) => sum + count, 0)),
      Object.entries(commands)
        .map(([name, count]) => `${name} × ${perSecond(count)}`)
        .join(', '),
    ]),
  };
}
