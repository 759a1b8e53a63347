import { ok } from '../route';
import type { OperatorRoute } from './operator-route';

/** Status of the system. Contains no data of environments, so every role may read it. */
export const systemRoutes: readonly OperatorRoute[] = [
  {
    method: 'GET',
    path: '/system',
    handle: async ({ call }, { peers }) => ok({ services: await peers.system.read(call) }),
  },
];
