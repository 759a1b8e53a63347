import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { DomainError } from '@billing/kernel/domain-error';
import { operatorRoles } from '@billing/proto/values/identity';
import { ok } from '../../http/answer';
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
      ok({ commands: await peers.system.stuckCommands(contextOf(request)) }),
  },
  {
    method: 'POST',
    path: '/system/commands/:service/:id/retry',
    handle: async (request, { peers }) => {
      await peers.system.retryStuckCommand(commandOf(request), contextOf(request));
      return { status: 204 };
    },
  },
  {
    method: 'POST',
    path: '/system/commands/:service/:id/skip',
    handle: async (request, { peers }) => {
      await peers.system.skipStuckCommand(commandOf(request), contextOf(request));
      return { status: 204 };
    },
  },
];

function commandOf({ params }: OperatorRequest): { service: string; id: string } {
  return { service: params.service ?? '', id: params.id ?? '' };
}

function contextOf({ call, signedIn }: OperatorRequest): CallContext {
  const { operator, organizationId, liveEnvironmentId: environmentId } = signedIn;
  const role = operatorRoles.nameOf(operator.role);
  if (role !== 'OWNER' && role !== 'ADMIN') {
    throw new DomainError('permission', 'INSUFFICIENT_PERMISSIONS', 'Insufficient permissions');
  }
  const tenant = { organizationId, environmentId, live: true, manualClock: false };
  return { ...call, tenant, now: systemClock.now(), scopes: [] };
}
