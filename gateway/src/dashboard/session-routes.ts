import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import type { LogInResponse, OperatorSession } from '@billing/proto/billing/identity/v1/operator';
import { operatorRoles } from '@billing/proto/values/identity';
import type { Call } from '../exchange';
import { readBody } from '../input';
import { type ApiAnswer, ok, param, present } from '../route';
import { noOperatorCookie, operatorCookie } from './operator-cookie';
import {
  toJsonEnvironment,
  toJsonExpiry,
  toJsonOperator,
  toJsonOrganization,
} from './operator-json';
import type { OperatorRoute, OperatorSurroundings } from './operator-route';
import { providerPath } from './provider-page';

const LogIn = z.object({ email: z.string(), password: z.string() });
const AcceptInvitation = z.object({ email: z.string(), name: z.string(), password: z.string() });
const ChangePassword = z.object({ currentPassword: z.string(), newPassword: z.string() });

/** How operators come in and go. */
export const sessionRoutes: readonly OperatorRoute[] = [
  {
    method: 'GET',
    path: '/sign-in-ways',
    isOpen: true,
    handle: (_request, { identityProvider }) => {
      if (identityProvider === undefined) return Promise.resolve(ok({ provider: null }));
      const { label } = identityProvider.settings;
      return Promise.resolve(ok({ provider: { label, path: providerPath } }));
    },
  },
  {
    method: 'POST',
    path: '/session',
    isOpen: true,
    handle: async ({ body, call, network }, site) => {
      const credentials = readBody(LogIn, { body });
      const opened = await site.peers.operator.logIn(
        { ...credentials, network },
        call as CallContext,
      );
      return entered(opened, { call, site });
    },
  },
  {
    method: 'GET',
    path: '/session',
    handle: async ({ signedIn, session, call }, { operatorAccess }) => {
      const environments = await operatorAccess.environments(session, call);
      return ok({
        operator: toJsonOperator(signedIn.operator),
        organization: toJsonOrganization(signedIn),
        environments: environments.map(toJsonEnvironment),
      });
    },
  },
  {
    method: 'DELETE',
    path: '/session',
    // Whoever is signed in no more leaves all the same.
    isOpen: true,
    handle: async ({ session, call }, { peers, operatorAccess }) => {
      if (session !== undefined) {
        await peers.operator.logOut({ sessionToken: session }, call as CallContext);
      }
      const headers = { 'Set-Cookie': noOperatorCookie(operatorAccess.siteUrl) };
      return { status: 204, headers };
    },
  },
  {
    method: 'PUT',
    path: '/password',
    handle: async ({ body, session, call, network }, { peers }) => {
      const passwords = readBody(ChangePassword, { body });
      await peers.operator.changePassword(
        { ...passwords, sessionToken: session, network },
        call as CallContext,
      );
      return { status: 204 };
    },
  },
  {
    method: 'GET',
    path: '/invitations/:token',
    isOpen: true,
    handle: async (request, { peers }) => {
      const { organizationName, role, email } = await peers.operator.getInvitation(
        { token: param(request, 'token') },
        request.call as CallContext,
      );
      const roleName = operatorRoles.nameOf(role);
      return ok({ organization: { name: organizationName }, role: roleName, email: email ?? null });
    },
  },
  {
    method: 'POST',
    path: '/invitations/:token',
    isOpen: true,
    handle: async (request, site) => {
      const { call } = request;
      const acceptance = readBody(AcceptInvitation, request);
      const opened = await site.peers.operator.acceptInvitation(
        { ...acceptance, token: param(request, 'token') },
        call as CallContext,
      );
      return entered(opened, { call, site });
    },
  },
];

/** The header by which a browser keeps a session that was just opened. */
export function cookieOf(
  session: OperatorSession | undefined,
  { call, site }: { readonly call: Call; readonly site: OperatorSurroundings },
): string {
  const { token, expiresAt } = present(session);
  const lifeMs = present(expiresAt).getTime() - call.now.getTime();
  return operatorCookie(token, { siteUrl: site.operatorAccess.siteUrl, lifeMs });
}

async function entered(
  { operator, session }: LogInResponse,
  { call, site }: { call: Call; site: OperatorSurroundings },
): Promise<ApiAnswer> {
  const signedIn = await site.operatorAccess.signedIn(present(session).token, call);
  const body = {
    operator: toJsonOperator(present(operator)),
    organization: toJsonOrganization(signedIn),
    expiresAt: toJsonExpiry(session),
  };
  return ok(body, { 'Set-Cookie': cookieOf(session, { call, site }) });
}
