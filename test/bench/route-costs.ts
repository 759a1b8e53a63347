import { measureRequestCosts } from '../gateway/request-costs';
import type { Bench } from './bench';

/**
 * Exact on every machine: the calls and database commands that one request of each route causes
 * before its response.
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
    return {
      counts: [
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
