import { operatorRoles } from '@billing/proto/values/identity';
import { ok } from '../../http/answer';
import { liveContextOf } from '../route/live-context';
import { readRecoveryReport } from '../route/recovery';
import type { OperatorRequest, OperatorRoute } from '../route/route';

/**
 * Status of the system, and of its check after a restore. Every role may read it; what the check
 * has found, which contains amounts and ids, only owners and admins.
 */
export const systemRoutes: readonly OperatorRoute[] = [
  {
    method: 'GET',
    path: '/system',
    handle: async ({ call, signedIn }, site) => {
      const role = operatorRoles.nameOf(signedIn.operator.role);
      const seesProblems = role === 'OWNER' || role === 'ADMIN';
      const [services, found] = await Promise.all([
        site.peers.system.read(call),
        readRecoveryReport(call, site, { seesProblems }),
      ]);
      return ok({ services, ...found });
    },
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
