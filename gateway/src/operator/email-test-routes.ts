import { emailStatuses } from '@billing/proto/values/notifier';
import { ok } from '../http/answer';
import { liveContextOf } from './route/live-context';
import type { OperatorRoute } from './route/route';

/** Test of the mail server and the sender of the live environment. */
export const emailTestRoutes: readonly OperatorRoute[] = [
  {
    method: 'POST',
    path: '/email-test',
    // The notifier waits up to 25 s for the mail server.
    deadlineMs: 30_000,
    handle: async (request, { peers }) => {
      const { email: to } = request.signedIn.operator;
      const context = liveContextOf(request);
      const { status, reason } = await peers.mailSettings.sendTestEmail({ to }, context);
      return ok({ status: emailStatuses.nameOf(status), reason: reason ?? null });
    },
  },
];
