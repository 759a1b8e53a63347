import type { AsyncHandlers } from '@billing/chassis/rpc';
import { notFound } from '@billing/kernel/domain-error';
import type { OperatorServiceServer } from '@billing/proto/billing/identity/v1/operator';
import { askForReset, checkReset, operatorEmail } from './operator';
import { toProtoOperator } from './operator-rpc';
import { findByEmail } from './operator-store';
import { recordOnOperator } from './audit-operator';
import { issueResetLink } from './reset-link';
import { openLink, resetPassword, type ResetPasswordDependencies } from './reset-password';
import { tokenSeed } from './token-store';

type Handlers = Pick<
  AsyncHandlers<OperatorServiceServer>,
  'createResetLink' | 'askForResetLink' | 'createOwnerResetLink' | 'getResetLink' | 'resetPassword'
>;

const mailer = { type: 'SYSTEM', id: 'password-resets', email: undefined } as const;
const machine = { type: 'SYSTEM', id: 'first-owner', email: undefined } as const;

export function resetLinkHandlers(dependencies: ResetPasswordDependencies): Handlers {
  const { signIn, operators, resetLinks, clock } = dependencies;
  return {
    createResetLink: async ({ sessionToken, operatorId: id, retryKey }, { storing }) => {
      const { state: actor, tenant } = (await signIn.authenticate(sessionToken)).operator;
      const { state } = await operators.within({ tenant, now: clock.now() }).get(id);
      checkReset(actor, state);
      const input = { operator: state, createdBy: actor.id };
      const { token, stored } = await resetLinks.issue(
        { tenant, storing },
        (linkId, now) => issueResetLink(linkId, input, now),
        tokenSeed(actor.id, retryKey),
      );
      return { token, expiresAt: stored.state.expiresAt };
    },
    askForResetLink: async ({ email, origin }, { requestId, storing }) => {
      const found = await findByEmail(operators, email);
      if (found === undefined) return { link: undefined };
      const { tenant } = found;
      const now = clock.now();
      let isGiven = false as boolean;
      const { state } = await operators
        .within({ tenant, now, storing })
        .mutate(found.state.id, (operator) => {
          const asked = askForReset(operator, now);
          isGiven = asked.state !== operator;
          return asked;
        });
      if (!isGiven) return { link: undefined };
      // First, so that no link exists that the audit log does not show.
      const action = 'POST /dashboard/api/password-resets';
      const asking = { actor: mailer, action, requestId, origin, status: 202 };
      await recordOnOperator(found, asking, dependencies);
      const input = { operator: state, createdBy: undefined, isMailed: true };
      const { token, stored } = await resetLinks.issue({ tenant, storing }, (linkId, at) =>
        issueResetLink(linkId, input, at),
      );
      const { organizationId, environmentId: liveEnvironmentId } = tenant;
      const { expiresAt } = stored.state;
      return { link: { token, email: state.email, organizationId, liveEnvironmentId, expiresAt } };
    },
    createOwnerResetLink: async ({ organizationId, email }, { requestId, storing }) => {
      const found = await findByEmail(operators, operatorEmail(email));
      const isOwner = found?.state.role === 'OWNER' && found.state.active;
      if (!isOwner || found.tenant.organizationId !== organizationId) throw notFound('Operator');
      storing?.check();
      // First, so that no link exists that the audit log does not show.
      const action = 'first-owner --reset';
      await recordOnOperator(found, { actor: machine, action, requestId }, dependencies);
      const input = { operator: found.state, createdBy: undefined, isOfMachine: true };
      const { token } = await resetLinks.issue({ tenant: found.tenant, storing }, (linkId, now) =>
        issueResetLink(linkId, input, now),
      );
      return { token };
    },
    getResetLink: async ({ token }) => {
      const { operator } = await openLink(token, dependencies);
      return { email: operator.state.email };
    },
    resetPassword: async (request, call) => {
      const changed = await resetPassword(request, call, dependencies);
      const { organizationId } = changed.tenant;
      return { operator: toProtoOperator(changed), organizationId };
    },
  };
}
