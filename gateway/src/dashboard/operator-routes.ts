import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import { Role } from '@billing/proto/billing/identity/v1/operator';
import { toJsonTime } from '@billing/proto/json/scalars';
import { operatorRoles } from '@billing/proto/values/identity';
import { optional, pageShape, readBody, readQuery } from '../input';
import { page, pageQuery } from '../list';
import { ok, param, present } from '../route';
import { toJsonAuditEntry, toJsonEnvironment, toJsonOperator } from './operator-json';
import type { OperatorRoute } from './operator-route';

const roleNames = ['OWNER', 'ADMIN', 'DEVELOPER', 'VIEWER'] as const;

const InviteOperator = z.object({ email: z.string(), role: z.enum(roleNames) });
const UpdateOperator = z.object({
  role: optional(z.enum(roleNames)),
  active: optional(z.boolean()),
});
const ListAuditEntries = z.object(pageShape);

/** Who works on the dashboard, where, and what they did. */
export const operatorRoutes: readonly OperatorRoute[] = [
  {
    method: 'GET',
    path: '/operators',
    handle: async ({ session, call }, { peers }) => {
      const { operators } = await peers.operator.listOperators(
        { sessionToken: session },
        call as CallContext,
      );
      return ok({ data: operators.map(toJsonOperator) });
    },
  },
  {
    method: 'POST',
    path: '/operators',
    handle: async ({ body, session, call }, { peers, operatorAccess }) => {
      const { email, role } = readBody(InviteOperator, { body });
      const { token, expiresAt } = await peers.operator.inviteOperator(
        { sessionToken: session, email, role: operatorRoles.valueOf(role) },
        call as CallContext,
      );
      const link = `${operatorAccess.siteUrl}/dashboard/invitation/${token}`;
      return { status: 201, body: { link, expiresAt: toJsonTime(expiresAt) } };
    },
  },
  {
    method: 'PATCH',
    path: '/operators/:id',
    handle: async (request, { peers }) => {
      const { role, active } = readBody(UpdateOperator, request);
      const { operator } = await peers.operator.updateOperator(
        {
          sessionToken: request.session,
          operatorId: param(request, 'id'),
          role: role === undefined ? Role.ROLE_UNSPECIFIED : operatorRoles.valueOf(role),
          active,
        },
        request.call as CallContext,
      );
      return ok(toJsonOperator(present(operator)));
    },
  },
  {
    method: 'GET',
    path: '/environments',
    handle: async ({ session, call }, { operatorAccess }) => {
      const environments = await operatorAccess.environments(session, call);
      return ok({ data: environments.map(toJsonEnvironment) });
    },
  },
  {
    method: 'GET',
    path: '/audit',
    handle: async ({ query, session, call }, { peers }) => {
      const wanted = readQuery(ListAuditEntries, { query });
      const { entries, total } = await peers.operator.listAuditEntries(
        { sessionToken: session, ...pageQuery(wanted) },
        call as CallContext,
      );
      return page(entries, { ...wanted, total }, toJsonAuditEntry);
    },
  },
];
