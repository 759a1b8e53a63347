import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import { isId } from '@billing/chassis/ids';
import { notFound } from '@billing/kernel/domain-error';
import { operatorProblems } from '@billing/kernel/operator-fields';
import { Role } from '@billing/proto/billing/identity/v1/operator';
import { toJsonTime } from '@billing/proto/json/scalars';
import { operatorRoles } from '@billing/proto/values/identity';
import { operatorEmailKinds } from '@billing/proto/values/notifier';
import { liveTenantOf } from '../access/live-tenant';
import { activeFilter, listShape, optional, readBody, readQuery, time } from '../api/input/input';
import { listQuery, page } from '../api/input/list';
import { ok, present } from '../http/answer';
import { bestEffort } from '../peer/best-effort';
import type { Call } from '../http/exchange';
import { param } from '../api/input/request';
import { operatorNamesOf } from './route/operator-names';
import { auditNamesOf, namesIn } from './report/audit-names';
import { toJsonAuditEntry, toJsonEnvironment, toJsonOperator } from './route/operator-json';
import type { Peers } from '../peer/peers';
import { retryKeyOf } from './route/live-context';
import type { OperatorRequest, OperatorRoute } from './route/route';

const roleNames = ['OWNER', 'ADMIN', 'DEVELOPER', 'VIEWER'] as const;

const InviteOperator = z.object({ email: z.string(), role: z.enum(roleNames) });
const UpdateOperator = z.object({
  role: optional(z.enum(roleNames)),
  active: optional(z.boolean()),
  revokeKeys: optional(z.boolean()),
});
const ListEnvironments = z.object({
  ...listShape,
  search: z.string().max(200).optional(),
  sandboxesOnly: activeFilter,
});
const ListAuditEntries = z.object({
  ...listShape,
  actorId: optional(z.string().max(100)),
  targetId: optional(z.string().max(100)),
  since: optional(time),
  until: optional(time),
});

/** Operators, their environments and the audit log. */
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
    handle: async (request, { peers, operatorAccess, invitations, logger }) => {
      const { body, session, signedIn, call } = request;
      const { email, role } = readBody(InviteOperator, { body }, operatorProblems);
      const { token, expiresAt } = await peers.operator.inviteOperator(
        {
          sessionToken: session,
          email,
          role: operatorRoles.valueOf(role),
          retryKey: retryKeyOf(request),
        },
        call as CallContext,
      );
      // A token in the URL fragment is not sent to servers and appears in no log.
      const link = `${operatorAccess.siteUrl}/dashboard/invitation#${token}`;
      const invited = { email, role, link, expiresAt };
      // The inviter has the link, and can pass it on without a mail.
      const mayMail = invitations.mayMail(signedIn.organizationId, email, call.now);
      const mail = (limit: Pick<Call, 'deadline'>) =>
        mailInvitation(invited, { signedIn, call: { ...call, ...limit } }, peers);
      const emailed =
        mayMail && (await bestEffort(mail, { call, logger, failure: 'invitation not mailed' }));
      return {
        status: 201,
        body: { link, expiresAt: toJsonTime(expiresAt), emailed: emailed === true },
      };
    },
  },
  {
    method: 'PATCH',
    path: '/operators/:id',
    before: async (request, { peers }) => {
      const { session: sessionToken, call } = request;
      const found = await peers.operator.listOperators({ sessionToken }, call as CallContext);
      const one = found.operators.find(({ id }) => id === param(request, 'id'));
      return one === undefined ? undefined : toJsonOperator(one);
    },
    handle: async (request, { peers }) => {
      const { role, active, revokeKeys = false } = readBody(UpdateOperator, request);
      const { operator } = await peers.operator.updateOperator(
        {
          sessionToken: request.session,
          operatorId: param(request, 'id'),
          role: role === undefined ? Role.ROLE_UNSPECIFIED : operatorRoles.valueOf(role),
          active,
          revokeKeys,
        },
        request.call as CallContext,
      );
      return ok(toJsonOperator(present(operator)));
    },
  },
  {
    method: 'GET',
    path: '/environments',
    handle: async ({ query, session, call }, { operatorAccess }) => {
      const wanted = readQuery(ListEnvironments, { query });
      const { environments, total } = await operatorAccess.environments(
        session,
        call,
        listQuery(wanted),
      );
      return page(environments, { ...wanted, total }, toJsonEnvironment);
    },
  },
  {
    method: 'GET',
    path: '/environments/:id',
    handle: async (request, { operatorAccess }) => {
      const id = param(request, 'id');
      if (!isId(id)) throw notFound('Environment');
      return ok(
        toJsonEnvironment(await operatorAccess.environment(request.session, id, request.call)),
      );
    },
  },
  {
    method: 'GET',
    path: '/audit',
    handle: async (request, site) => {
      const { query, session, call } = request;
      const { peers } = site;
      const wanted = readQuery(ListAuditEntries, { query });
      const [{ entries, total, totalIsMore }, operatorNames] = await Promise.all([
        peers.operator.listAuditEntries(
          { sessionToken: session, targetIds: [], ...listQuery(wanted) },
          call as CallContext,
        ),
        operatorNamesOf(session, call, peers),
      ]);
      const names = await auditNamesOf(entries, request, site);
      const { page, perPage } = wanted;
      const data = entries.map((entry) => ({
        ...toJsonAuditEntry(entry, operatorNames),
        names: namesIn(entry, names),
      }));
      return ok({ data, total, totalIsMore, page, perPage });
    },
  },
];

/** Mails the link of an invitation. False without a mail server. */
async function mailInvitation(
  {
    email,
    role,
    link,
    expiresAt,
  }: {
    readonly email: string;
    readonly role: string;
    readonly link: string;
    readonly expiresAt: Date | undefined;
  },
  { signedIn, call }: Pick<OperatorRequest, 'signedIn' | 'call'>,
  { operatorMail }: Peers,
): Promise<boolean> {
  const { operator, organizationName } = signedIn;
  const tenant = liveTenantOf(signedIn);
  const { created } = await operatorMail.sendOperatorEmail(
    {
      kind: operatorEmailKinds.valueOf('INVITATION'),
      to: email.trim(),
      link,
      expiresAt,
      organizationName,
      role: role.toLowerCase(),
      invitedBy: operator.email,
    },
    { ...call, tenant, scopes: [] },
  );
  return created;
}
