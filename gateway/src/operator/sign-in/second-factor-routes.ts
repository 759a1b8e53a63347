import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import { optional, readBody } from '../../api/input/input';
import { param } from '../../api/input/request';
import { RequestError } from '../../http/error';
import { ok, present } from '../../http/answer';
import { toJsonOrganizationSettings } from '../route/operator-json';
import type { OperatorRoute } from '../route/route';

const path = '/second-factor';

const ConfirmSecondFactor = z.object({ code: z.string().max(100) });
const DeleteSecondFactor = z.object({ password: z.string(), code: z.string().max(100) });
const UpdateOrganization = z.object({
  name: optional(z.string()),
  requireSecondFactor: optional(z.boolean()),
  providerOnly: optional(z.boolean()),
});

/** Second factors of operators, and the name and sign-in rules of their organization. */
export const secondFactorRoutes: readonly OperatorRoute[] = [
  {
    method: 'POST',
    path,
    isBeforeSecondFactor: true,
    handle: async ({ session, call }, { peers }) => {
      const { secret, uri } = await peers.operator.beginSecondFactor(
        { sessionToken: session },
        call as CallContext,
      );
      return { status: 201, body: { secret, uri } };
    },
  },
  {
    method: 'POST',
    path: `${path}/confirm`,
    isBeforeSecondFactor: true,
    handle: async ({ body, session, call }, { peers }) => {
      const { code } = readBody(ConfirmSecondFactor, { body });
      const { recoveryCodes } = await peers.operator.confirmSecondFactor(
        { sessionToken: session, code },
        call as CallContext,
      );
      return ok({ recoveryCodes });
    },
  },
  {
    method: 'POST',
    path: `${path}/remove`,
    endsWithCaller: true,
    handle: async ({ body, session, call, origin }, { peers }) => {
      const proof = readBody(DeleteSecondFactor, { body });
      await peers.operator.deleteSecondFactor(
        { ...proof, sessionToken: session, origin },
        call as CallContext,
      );
      return { status: 204 };
    },
  },
  {
    method: 'DELETE',
    path: '/operators/:id/second-factor',
    handle: async (request, { peers }) => {
      await peers.operator.resetSecondFactor(
        { sessionToken: request.session, operatorId: param(request, 'id') },
        request.call as CallContext,
      );
      return { status: 204 };
    },
  },
  {
    method: 'PATCH',
    path: '/organization',
    before: ({ signedIn: { organizationName, signInRules } }) =>
      Promise.resolve(toJsonOrganizationSettings(organizationName, signInRules)),
    handle: async ({ body, session, call }, { peers, identityProvider }) => {
      const changes = readBody(UpdateOrganization, { body });
      if (changes.providerOnly === true && identityProvider === undefined) {
        throw new RequestError(409, 'conflict', 'No identity provider is configured');
      }
      const { name, signInRules } = await peers.operator.updateSignInRules(
        { sessionToken: session, ...changes },
        call as CallContext,
      );
      return ok(toJsonOrganizationSettings(name, present(signInRules)));
    },
  },
];
