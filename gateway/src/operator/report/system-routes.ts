import { ok } from '../../http/answer';
import { liveContextOf } from '../route/live-context';
import type { OperatorRequest, OperatorRoute } from '../route/route';

/** Status of the system. Contains no data of environments, so every role may read it. */
export const systemRoutes: readonly OperatorRoute[] = [
  {
    method: 'GET',
    path: '/system',
    handle: async ({ call }, { peers }) => ok({ services: await peers.system.read(call) }),
  },
];

/**
 * Commands that keep failing, in all environments of the operator's organization. Only owners and
 * admins see them, since errors may contain amounts. The audit log records each retry and skip.
 */
export const stuckCommandRoutes: readonly OperatorRoute[] = [
  {
    method: 'GET',
    path: '/system/commands',
    handle: async (request, { peers }) =>
      ok({ commands: await peers.system.stuckCommands(liveContextOf(request)) }),
  },
  {
    method: 'POST',
    path: '/system/commands/:service/:id/retry',
    handle: async (request, { peers }) => {
      await peers.system.retryStuckCommand(commandOf(request), liveContextOf(request));
      return { status: 204 };
    },
  },
  {
    method: 'POST',
    path: '/system/commands/:service/:id/skip',
    handle: async (request, { peers }) => {
      await peers.system.skipStuckCommand(commandOf(request), liveContextOf(request));
      return { status: 204 };
    },
  },
];

function commandOf({ params }: OperatorRequest): { service: string; id: string } {
  return { service: params.service ?? '', id: params.id ?? '' };
}
