import { ok } from '../route';
import type { OperatorRoute } from './operator-route';

/** How the system itself is. Shows nothing of any environment, so every role may look. */
export const systemRoutes: readonly OperatorRoute[] = [
  {
    method: 'GET',
    path: '/system',
    handle: async ({ call }, { peers }) => ok({ services: await peers.system.read(call) }),
  },
];
