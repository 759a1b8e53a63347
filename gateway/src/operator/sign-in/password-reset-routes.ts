import { z } from 'zod';
import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import type { Origin } from '@billing/proto/billing/identity/v1/operator';
import { operatorEmailKinds } from '@billing/proto/values/notifier';
import { liveTenantOf } from '../../access/live-tenant';
import { readBody } from '../../api/input/input';
import type { Call } from '../../http/exchange';
import type { OperatorDependencies, OperatorRoute } from '../route/route';

const AskForReset = z.object({ email: z.string() });

const workMs = 30_000;
const emailMax = 254;

/** Password resets that an operator asks for by email. */
export const passwordResetRoutes: readonly OperatorRoute[] = [
  {
    method: 'POST',
    path: '/password-resets',
    isOpen: true,
    // Answers at once and always alike; the link is created and mailed afterwards. Otherwise the
    // time of the answer would tell which addresses are known.
    handle: ({ body, call, origin }, site) => {
      const { passwordResets, logger } = site;
      passwordResets.admit(origin.network, call.now);
      const email = readBody(AskForReset, { body }).email.trim();
      if (email !== '' && email.length <= emailMax) {
        const own = ownCall(call);
        void passwordResets
          .run(() => mailResetLink({ email, origin }, own, site), own.signal)
          .catch((error: unknown) => {
            logger.warn({ err: error }, 'reset link not mailed');
          });
      }
      return Promise.resolve({ status: 202, body: {} });
    },
  },
];

/** A call that outlives the request. */
function ownCall(call: Call): Call {
  const deadline = new Date(systemClock.now().getTime() + workMs);
  return { ...call, deadline, signal: AbortSignal.timeout(workMs) };
}

async function mailResetLink(
  asked: { readonly email: string; readonly origin: Origin },
  call: Call,
  { peers, operatorAccess }: OperatorDependencies,
): Promise<void> {
  const { operator, operatorMail } = peers;
  const { configured } = await operatorMail.getMailServer({}, call as CallContext);
  if (!configured) return;
  const { link } = await operator.askForResetLink(asked, call as CallContext);
  if (link === undefined) return;
  await operatorMail.sendOperatorEmail(
    {
      kind: operatorEmailKinds.valueOf('PASSWORD_RESET'),
      to: link.email,
      // A token in the URL fragment is not sent to servers and appears in no log.
      link: `${operatorAccess.siteUrl}/dashboard/reset#${link.token}`,
      expiresAt: link.expiresAt,
      ...{ organizationName: '', role: '', invitedBy: '' },
    },
    { ...call, tenant: liveTenantOf(link), now: systemClock.now(), scopes: [] },
  );
}
