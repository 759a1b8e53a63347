import { elseAsWritten } from '@billing/chassis/else-as-written';
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
import { tokenSeed } from './token-store';

type Handlers = Pick<
  AsyncHandlers<OperatorServiceServer>,
  'inviteFirstOwner' | 'getInvitation' | 'acceptInvitation' | 'inviteOperator'
>;

export function invitationHandlers(dependencies: AcceptInvitationDependencies): Handlers {
  const { signIn, organizations, operators, invitations, clock, logger } = dependencies;
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
      const answer = { operator: toProtoOperator(operator), session: undefined };
      if (isPasswordOff) return answer;
      // The operator is stored. Without a session, they sign in with the password.
      const opened = signIn.open(operator, origin, call);
      return elseAsWritten(
        answer,
        opened.then((session) => ({ ...answer, session })),
        { logger },
      );
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
