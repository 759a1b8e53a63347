import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import { operatorProblems } from '@billing/kernel/operator-fields';
import { operatorEmailKinds } from '@billing/proto/values/notifier';
import { liveTenantOf } from '../../access/live-tenant';
import { optional, readBody } from '../../api/input/input';
import { ok, present } from '../../http/answer';
import { toJsonOperator } from '../route/operator-json';
import type { Peers } from '../../peer/peers';
import type { OperatorRequest, OperatorRoute } from '../route/route';

const path = '/operators/me';

const ChangeName = z.object({ name: z.string() });
const ChangeEmail = z.object({
  email: z.string(),
  password: z.string(),
  code: optional(z.string().max(100)),
  emailCode: optional(z.string().max(100)),
});
// Codes are valid for an hour at least.
const codeMailedMsMax = 60 * 60 * 1_000;

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
    handle: async ({ body, session, signedIn, call, origin }, { peers }) => {
      const change = readBody(ChangeEmail, { body }, operatorProblems);
      const { operatorMail } = peers;
      // The answer tells only a reader of mails to an address whether another operator has it.
      const { configured } = await operatorMail.getMailServer({}, call as CallContext);
      const { operator, emailCode } = await peers.operator.changeEmail(
        { ...change, sessionToken: session, origin, provesEmail: configured },
        call as CallContext,
      );
      if (emailCode === '') return ok(toJsonOperator(present(operator)));
      const email = change.email.trim();
      await mailCode({ email, emailCode }, { signedIn, call }, peers);
      return { status: 202, body: { codeMailedTo: email } };
    },
  },
];

async function mailCode(
  { email, emailCode }: { readonly email: string; readonly emailCode: string },
  { signedIn, call }: Pick<OperatorRequest, 'signedIn' | 'call'>,
  { operatorMail }: Peers,
): Promise<void> {
  await operatorMail.sendOperatorEmail(
    {
      kind: operatorEmailKinds.valueOf('EMAIL_CODE'),
      to: email,
      link: emailCode,
      expiresAt: new Date(call.now.getTime() + codeMailedMsMax),
      ...{ organizationName: '', role: '', invitedBy: '' },
    },
    { ...call, tenant: liveTenantOf(signedIn), scopes: [] },
  );
}
