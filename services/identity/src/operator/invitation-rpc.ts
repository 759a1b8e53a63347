import type { AsyncHandlers } from '@billing/chassis/rpc';
import { invalidInput } from '@billing/kernel/domain-error';
import type { OperatorServiceServer } from '@billing/proto/billing/identity/v1/operator';
import { operatorRoles } from '@billing/proto/values/identity';
import { liveTenant } from '../environment/environment-store';
import {
  acceptInvitation,
  type AcceptInvitationDependencies,
  hasOperators,
  openInvitation,
  organizationOf,
} from './accept-invitation';
import { invite } from './invitation';
import { checkInvitation, operatorEmail, operatorExists } from './operator';
import { sentRole, toProtoOperator } from './operator-rpc';
import { findHolder } from './operator-store';
import { operatorActor, recordOnOperator } from './audit-operator';
import { tokenSeed } from './token-store';

const acceptAction = 'POST /dashboard/api/invitations/accept';

type Handlers = Pick<
  AsyncHandlers<OperatorServiceServer>,
  'inviteFirstOwner' | 'getInvitation' | 'acceptInvitation' | 'inviteOperator'
>;

export function invitationHandlers(dependencies: AcceptInvitationDependencies): Handlers {
  const { signIn, organizations, operators, invitations, clock } = dependencies;
  return {
    inviteFirstOwner: async ({ organizationId }, { storing }) => {
      const tenant = liveTenant(organizationId);
      await organizations.within({ tenant, now: clock.now() }).get(organizationId);
      if (await hasOperators(tenant, dependencies)) return {};
      const input = { role: 'OWNER', email: undefined, invitedBy: undefined } as const;
      const { token } = await invitations.issue({ tenant, storing }, (id, now) =>
        invite(id, input, now),
      );
      return { token };
    },

    getInvitation: async ({ token }) => {
      const invitation = await openInvitation(token, dependencies);
      const { role, email } = invitation.state;
      const { name, signInRules } = (await organizationOf(invitation, dependencies)).state;
      return {
        organizationName: name,
        role: operatorRoles.valueOf(role),
        email,
        providerOnly: signInRules.providerOnly,
      };
    },

    acceptInvitation: async (request, call) => {
      const { origin } = request;
      const { operator, isPasswordOff } = await acceptInvitation(request, call, dependencies);
      if (!isPasswordOff) {
        const session = await signIn.open(operator, origin, call);
        return { operator: toProtoOperator(operator), session };
      }
      // The gateway records nothing without a session.
      const { requestId } = call;
      const accepted = { actor: operatorActor(operator.state), action: acceptAction, requestId };
      await recordOnOperator(operator, { ...accepted, origin, status: 200 }, dependencies);
      return { operator: toProtoOperator(operator), session: undefined };
    },

    inviteOperator: async ({ sessionToken, email: text, role, retryKey }, { storing }) => {
      const { state: actor, tenant } = (await signIn.authenticate(sessionToken)).operator;
      const email = operatorEmail(text);
      const invitedBy = { id: actor.id, email: actor.email };
      const input = { role: sentRole(role) ?? requireRole(), email, invitedBy };
      checkInvitation(actor, input.role);
      // Checked in the own organization alone: operators of other organizations are not revealed to
      // the inviter.
      const taken = await findHolder(operators, email);
      if (taken?.tenant.organizationId === tenant.organizationId) throw operatorExists();
      const { token, stored } = await invitations.issue(
        { tenant, storing },
        (id, now) => invite(id, input, now),
        tokenSeed(actor.id, retryKey),
      );
      return { token, expiresAt: stored.state.expiresAt };
    },
  };
}

function requireRole(): never {
  throw invalidInput({ role: ['Required'] });
}
