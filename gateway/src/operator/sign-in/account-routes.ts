import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import { operatorProblems } from '@billing/kernel/operator-fields';
import { optional, readBody } from '../../api/input/input';
import { ok, present } from '../../http/answer';
import { toJsonOperator } from '../route/operator-json';
import type { OperatorRequest, OperatorRoute } from '../route/route';

const path = '/operators/me';

const ChangeName = z.object({ name: z.string() });
const ChangeEmail = z.object({
  email: z.string(),
  password: z.string(),
  code: optional(z.string().max(100)),
});

const before = ({ signedIn }: OperatorRequest) =>
  Promise.resolve(toJsonOperator(signedIn.operator));

/** Changes by operators of their own name and email address. */
export const accountRoutes: readonly OperatorRoute[] = [
  {
    method: 'PATCH',
    path,
    before,
    handle: async ({ body, session, call }, { peers }) => {
      const { name } = readBody(ChangeName, { body }, operatorProblems);
      const { operator } = await peers.operator.changeName(
        { sessionToken: session, name },
        call as CallContext,
      );
      return ok(toJsonOperator(present(operator)));
    },
  },
  {
    method: 'PUT',
    path: `${path}/email`,
    before,
    handle: async ({ body, session, call, origin }, { peers }) => {
      const change = readBody(ChangeEmail, { body }, operatorProblems);
      const { operator } = await peers.operator.changeEmail(
        { ...change, sessionToken: session, origin },
        call as CallContext,
      );
      return ok(toJsonOperator(present(operator)));
    },
  },
];
