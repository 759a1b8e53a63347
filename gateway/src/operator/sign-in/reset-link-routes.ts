import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import { optionalProblems } from '@billing/kernel/input-problems';
import { passwordLengthProblems } from '@billing/kernel/operator-fields';
import { toJsonTime } from '@billing/proto/json/scalars';
import { readBody } from '../../api/input/input';
import { ok } from '../../http/answer';
import { param } from '../../api/input/request';
import { retryKeyOf } from '../route/live-context';
import type { OperatorRoute } from '../route/route';

const LookAtResetLink = z.object({ token: z.string() });
const UseResetLink = z.object({ token: z.string(), password: z.string() });

/** Password reset links, which owners and admins create for other operators. */
export const resetLinkRoutes: readonly OperatorRoute[] = [
  {
    method: 'POST',
    path: '/operators/:id/reset-link',
    handle: async (request, { peers, operatorAccess }) => {
      const { token, expiresAt } = await peers.operator.createResetLink(
        {
          sessionToken: request.session,
          operatorId: param(request, 'id'),
          retryKey: retryKeyOf(request),
        },
        request.call as CallContext,
      );
      // A token in the URL fragment is not sent to servers and appears in no log.
      const url = `${operatorAccess.siteUrl}/dashboard/reset#${token}`;
      return { status: 201, body: { url, expiresAt: toJsonTime(expiresAt) } };
    },
  },
  {
    method: 'POST',
    path: '/reset-links/look',
    isOpen: true,
    handle: async ({ body, call }, { peers }) => {
      const { token } = readBody(LookAtResetLink, { body });
      const { email } = await peers.operator.getResetLink({ token }, call as CallContext);
      return ok({ email });
    },
  },
  {
    method: 'POST',
    path: '/reset-links/use',
    isOpen: true,
    handle: async ({ body, call, origin, idempotency }, { peers }) => {
      const input = readBody(UseResetLink, { body }, ({ password }) => ({
        password: optionalProblems(password, passwordLengthProblems),
      }));
      const reset = { ...input, origin, retryKey: idempotency?.key };
      await peers.operator.resetPassword(reset, call as CallContext);
      return { status: 204 };
    },
  },
];
