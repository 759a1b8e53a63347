import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import { DomainError } from '@billing/kernel/domain-error';
import { optionalProblems } from '@billing/kernel/input-problems';
import { operatorProblems, passwordLengthProblems } from '@billing/kernel/operator-fields';
import type {
  LogInResponse,
  OperatorSession,
  Origin,
} from '@billing/proto/billing/identity/v1/operator';
import { operatorRoles } from '@billing/proto/values/identity';
import { toHttpError } from '../../http/error';
import type { Call } from '../../http/exchange';
import type { Peers } from '../../peer/peers';
import type { FieldRules } from '../../api/input/field-rules';
import { optional, readBody } from '../../api/input/input';
import { type ApiAnswer, ok, present } from '../../http/answer';
import { param } from '../../api/input/request';
import { operatorApiPath } from '../route/addresses';
import { noOperatorCookie, operatorCookie } from '../../access/operator-cookie';
import {
  toJsonEnvironment,
  toJsonExpiry,
  toJsonOperator,
  toJsonOrganization,
  toJsonSession,
} from '../route/operator-json';
import type { AuditedAction, SignedIn } from '../../access/operator-access';
import { readRecovery } from '../route/recovery';
import type { OperatorRoute, OperatorDependencies } from '../route/route';
import { providerPath } from './provider-page';

interface SessionRouteDependencies {
  readonly origin: Origin;
  readonly call: Call;
  readonly site: OperatorDependencies;
}

const sessionPath = '/session';
const acceptancePath = '/invitations/accept';

const LogIn = z.object({
  email: z.string(),
  password: z.string(),
  code: optional(z.string().max(100)),
});
const LookAtInvitation = z.object({ token: z.string() });
const AcceptInvitation = z.object({
  token: z.string(),
  email: z.string(),
  name: z.string(),
  password: z.string(),
});
const ChangePassword = z.object({ currentPassword: z.string(), newPassword: z.string() });

const canMailMsMax = 1_000;

/**
 * Problems of an acceptance. Only identity knows whether the organization uses a password, so the
 * password alone, and an empty one, are left to it.
 */
const acceptanceProblems: FieldRules<z.infer<typeof AcceptInvitation>> = (
  { password = '', ...fields },
  { wrong },
) => {
  const problems = operatorProblems(fields);
  const isRefused = wrong.size > 0 || Object.values(problems).some(({ length }) => length > 0);
  return isRefused && password !== ''
    ? { ...problems, password: passwordLengthProblems(password) }
    : problems;
};

// Number of environments offered before a search.
const firstEnvironments = { page: 1, perPage: 20 };

/** Sign-in and sign-out of operators. */
export const sessionRoutes: readonly OperatorRoute[] = [
  {
    method: 'GET',
    path: '/sign-in-ways',
    isOpen: true,
    handle: async ({ call }, { identityProvider, peers }) => {
      const settings = identityProvider?.settings;
      const provider =
        settings === undefined ? null : { label: settings.label, path: providerPath };
      return ok({ provider, passwordReset: await canMail(peers, call) });
    },
  },
  {
    method: 'POST',
    path: sessionPath,
    isOpen: true,
    endsWithCaller: true,
    handle: async ({ body, call, origin }, site) => {
      const credentials = readBody(LogIn, { body });
      const opened = await site.peers.operator.logIn(
        { ...credentials, origin, providerConfigured: site.identityProvider !== undefined },
        call as CallContext,
      );
      return entered(opened, actionOf('POST', sessionPath), { call, site, origin });
    },
  },
  {
    method: 'GET',
    path: sessionPath,
    isBeforeSecondFactor: true,
    handle: async ({ signedIn, session, call }, site) => {
      const [{ environments }, recovery] = await Promise.all([
        site.operatorAccess.environments(session, call, firstEnvironments),
        readRecovery(call, site),
      ]);
      return ok({
        operator: toJsonOperator(signedIn.operator),
        organization: toJsonOrganization(signedIn),
        environments: environments.map(toJsonEnvironment),
        secondFactorMissing: signedIn.isFactorMissing,
        recovery,
      });
    },
  },
  {
    method: 'GET',
    path: '/sessions',
    handle: async ({ session, call }, { peers }) => {
      const { sessions } = await peers.operator.listSessions(
        { sessionToken: session },
        call as CallContext,
      );
      return ok({ data: sessions.map(toJsonSession) });
    },
  },
  {
    method: 'DELETE',
    path: '/sessions/:id',
    handle: async (request, { peers }) => {
      await peers.operator.endSession(
        { sessionToken: request.session, id: param(request, 'id') },
        request.call as CallContext,
      );
      return { status: 204 };
    },
  },
  {
    method: 'DELETE',
    path: sessionPath,
    // The sign-out succeeds even if the session has already ended.
    isOpen: true,
    handle: ({ session, call, origin }, site) => {
      const headers = { 'Set-Cookie': noOperatorCookie(site.operatorAccess.siteUrl) };
      const left: ApiAnswer = { status: 204, headers };
      return session === undefined
        ? Promise.resolve(left)
        : leave(session, left, { call, site, origin });
    },
  },
  {
    method: 'PUT',
    path: '/password',
    endsWithCaller: true,
    handle: async ({ body, session, call, origin, idempotency }, { peers }) => {
      const passwords = readBody(ChangePassword, { body }, ({ newPassword }) => ({
        newPassword: optionalProblems(newPassword, passwordLengthProblems),
      }));
      await peers.operator.changePassword(
        { ...passwords, sessionToken: session, origin, retryKey: idempotency?.key },
        call as CallContext,
      );
      return { status: 204 };
    },
  },
  {
    method: 'POST',
    path: '/invitations/look',
    isOpen: true,
    handle: async ({ body, call }, { identityProvider, peers }) => {
      const { token } = readBody(LookAtInvitation, { body });
      const { organizationName, role, email, providerOnly } = await peers.operator.getInvitation(
        { token },
        call as CallContext,
      );
      const roleName = operatorRoles.nameOf(role);
      return ok({
        organization: { name: organizationName },
        role: roleName,
        email: email ?? null,
        providerOnly: providerOnly && identityProvider !== undefined,
      });
    },
  },
  {
    method: 'POST',
    path: acceptancePath,
    isOpen: true,
    handle: async ({ body, call, origin, idempotency }, site) => {
      // Identity records the acceptance in the audit log before it creates the operator.
      const acceptance = readBody(AcceptInvitation, { body }, acceptanceProblems);
      const opened = await site.peers.operator.acceptInvitation(
        {
          ...{ ...acceptance, origin, retryKey: idempotency?.key },
          providerConfigured: site.identityProvider !== undefined,
        },
        call as CallContext,
      );
      if (opened.session === undefined) {
        // The operator signs in with the identity provider, or later with the password.
        return ok({ operator: toJsonOperator(present(opened.operator)), expiresAt: null });
      }
      try {
        return (await opening(opened, { call, site })).answer;
      } catch (error) {
        if (toHttpError(error).status < 500) throw error;
        // The operator signs in instead.
        site.logger.warn({ err: error }, 'invitation accepted without session');
        return ok({ operator: toJsonOperator(present(opened.operator)), expiresAt: null });
      }
    },
  },
];

/** True if links can be mailed. A notifier that does not answer delays no sign-in for long. */
async function canMail({ operatorMail }: Peers, call: Call): Promise<boolean> {
  const deadline = new Date(Math.min(call.deadline.getTime(), call.now.getTime() + canMailMsMax));
  try {
    return (await operatorMail.getMailServer({}, { ...call, deadline } as CallContext)).configured;
  } catch {
    return false;
  }
}

/** Cookie header of a new session. */
export function cookieOf(
  session: OperatorSession | undefined,
  { call, site }: Omit<SessionRouteDependencies, 'origin'>,
): string {
  const { token, expiresAt } = present(session);
  const lifeMs = present(expiresAt).getTime() - call.now.getTime();
  return operatorCookie(token, { siteUrl: site.operatorAccess.siteUrl, lifeMs });
}

/** Answer that gives the operator a new session. */
async function opening(
  { operator, session }: LogInResponse,
  { call, site }: Omit<SessionRouteDependencies, 'origin'>,
): Promise<{ readonly signedIn: SignedIn; readonly answer: ApiAnswer }> {
  const signedIn = await site.operatorAccess.signedIn(present(session).token, call);
  const body = {
    operator: toJsonOperator(present(operator)),
    organization: toJsonOrganization(signedIn),
    expiresAt: toJsonExpiry(session),
  };
  return { signedIn, answer: ok(body, { 'Set-Cookie': cookieOf(session, { call, site }) }) };
}

/** Returns a new session once the audit log has recorded it. */
async function entered(
  opened: LogInResponse,
  action: AuditedAction,
  { call, site, origin }: SessionRouteDependencies,
): Promise<ApiAnswer> {
  const { signedIn, answer } = await opening(opened, { call, site });
  return site.operatorAccess.audited(signedIn, action, {
    call,
    origin,
    work: () => Promise.resolve(answer),
  });
}

/** Ends a session. A valid one is recorded in the audit log. */
async function leave(
  session: string,
  answer: ApiAnswer,
  { call, origin, site: { peers, operatorAccess } }: SessionRouteDependencies,
): Promise<ApiAnswer> {
  const work = async () => {
    await peers.operator.logOut({ sessionToken: session }, call as CallContext);
    return answer;
  };
  try {
    const signedIn = await operatorAccess.signedIn(session, call);
    return await operatorAccess.audited(signedIn, actionOf('DELETE', sessionPath), {
      call,
      origin,
      work,
    });
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'unauthenticated') throw error;
    return work();
  }
}

function actionOf(method: 'POST' | 'DELETE', route: string): AuditedAction {
  const path = `${operatorApiPath}${route}`;
  return { action: `${method} ${path}`, path };
}
