import type { AsyncHandlers } from '@billing/chassis/rpc';
import { notFound } from '@billing/kernel/domain-error';
import type { OperatorServiceServer } from '@billing/proto/billing/identity/v1/operator';
import { checkReset, operatorEmail } from './operator';
import { toProtoOperator } from './operator-rpc';
import { findAnywhere, operatorId } from './operator-store';
import { issueResetLink } from './reset-link';
import { openLink, recordReset, resetPassword, type ResetPasswordOptions } from './reset-password';

type Handlers = Pick<
  AsyncHandlers<OperatorServiceServer>,
  'createResetLink' | 'createOwnerResetLink' | 'getResetLink' | 'resetPassword'
>;

const machine = { type: 'SYSTEM', id: 'first-owner', email: undefined } as const;

export function resetLinkHandlers(options: ResetPasswordOptions): Handlers {
  const { signIn, operators, resetLinks, clock } = options;
  return {
    createResetLink: async ({ sessionToken, operatorId: id }, { storing }) => {
      const { state: actor, tenant } = (await signIn.authenticate(sessionToken)).operator;
      const { state } = await operators.within({ tenant, now: clock.now() }).get(id);
      checkReset(actor, state);
      const input = { operator: state, createdBy: actor.id };
      const { token, stored } = await resetLinks.issue({ tenant, storing }, (linkId, now) =>
        issueResetLink(linkId, input, now),
      );
      return { token, expiresAt: stored.state.expiresAt };
    },
    createOwnerResetLink: async ({ organizationId, email }, { requestId, storing }) => {
      const found = await findAnywhere(operators, operatorId(operatorEmail(email)));
      const isOwner = found?.state.role === 'OWNER' && found.state.active;
      if (!isOwner || found.tenant.organizationId !== organizationId) throw notFound('Operator');
      const input = { operator: found.state, createdBy: undefined };
      const { token } = await resetLinks.issue({ tenant: found.tenant, storing }, (linkId, now) =>
        issueResetLink(linkId, input, now),
      );
      await recordReset(
        found,
        { actor: machine, action: 'first-owner --reset', requestId },
        options,
      );
      return { token };
    },
    getResetLink: async ({ token }) => {
      const { operator } = await openLink(token, options);
      return { email: operator.state.email };
    },
    resetPassword: async ({ token, password, origin }, call) => {
      const changed = await resetPassword({ token, password, origin }, call, options);
      const { organizationId } = changed.tenant;
      return { operator: toProtoOperator(changed), organizationId };
    },
  };
}
