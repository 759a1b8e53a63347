import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { invalidInput } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import type {
  AcceptInvitationRequest,
  OperatorServiceServer,
} from '@billing/proto/billing/identity/v1/operator';
import { operatorRoles } from '@billing/proto/values/identity';
import { liveTenant } from '../environment/environment-store';
import { accept, type Invitation, invitationNotFound, invite } from './invitation';
import {
  checkInvitation,
  createOperator,
  mayInvite,
  type Operator,
  operatorEmail,
  operatorExists,
} from './operator';
import { sentRole, toProtoOperator } from './operator-rpc';
import { findAnywhere, operatorId } from './operator-store';
import { addOwner, type Organization } from '../organization/organization';
import { type CommonPasswords, passwordProblems } from '../password/password';
import type { SignIn, SignInCall } from './sign-in-service';
import type { TokenStore } from './token-store';

export interface InvitationRpcOptions {
  readonly signIn: SignIn;
  readonly organizations: AggregateCollection<Organization>;
  readonly operators: AggregateCollection<Operator>;
  readonly invitations: TokenStore<Invitation>;
  readonly commonPasswords: CommonPasswords;
  readonly clock: Clock;
}

type Handlers = Pick<
  AsyncHandlers<OperatorServiceServer>,
  'inviteFirstOwner' | 'getInvitation' | 'acceptInvitation' | 'inviteOperator'
>;

export function invitationHandlers(options: InvitationRpcOptions): Handlers {
  const { signIn, organizations, operators, invitations, clock } = options;
  return {
    inviteFirstOwner: async ({ organizationId }, { storing }) => {
      const tenant = liveTenant(organizationId);
      await organizations.within({ tenant, now: clock.now() }).get(organizationId);
      if (await hasOperators(tenant, options)) return {};
      const wish = { role: 'OWNER', email: undefined, invitedBy: undefined } as const;
      const { token } = await invitations.issue({ tenant, storing }, (id, now) =>
        invite(id, wish, now),
      );
      return { token };
    },

    getInvitation: async ({ token }) => {
      const { state, tenant } = await openInvitation(token, options);
      const organization = await organizations
        .within({ tenant, now: clock.now() })
        .get(tenant.organizationId);
      return {
        organizationName: organization.state.name,
        role: operatorRoles.valueOf(state.role),
        email: state.email,
      };
    },

    acceptInvitation: async (request, call) => {
      const operator = await acceptInvitation(request, call, options);
      return {
        operator: toProtoOperator(operator),
        session: await signIn.open(operator, request.origin, call),
      };
    },

    inviteOperator: async ({ sessionToken, email: text, role }, { storing }) => {
      const { state: actor, tenant } = (await signIn.authenticate(sessionToken)).operator;
      const email = operatorEmail(text);
      const invitedBy = { id: actor.id, email: actor.email };
      const wish = { role: sentRole(role) ?? requireRole(), email, invitedBy };
      checkInvitation(actor, wish.role);
      // Checked in the own organization alone: operators of other organizations are not revealed to
      // the inviter.
      const taken = await findAnywhere(operators, operatorId(email));
      if (taken?.tenant.organizationId === tenant.organizationId) throw operatorExists();
      const { token, stored } = await invitations.issue({ tenant, storing }, (id, now) =>
        invite(id, wish, now),
      );
      return { token, expiresAt: stored.state.expiresAt };
    },
  };
}

/**
 * Accepts an invitation. The invitation is consumed for one address first, then the operator is
 * stored: an interrupted caller retries, and no other person can use the same link.
 */
async function acceptInvitation(
  request: AcceptInvitationRequest,
  { signal, storing }: SignInCall,
  options: InvitationRpcOptions,
): Promise<Stored<Operator>> {
  const { signIn, organizations, operators, invitations, commonPasswords, clock } = options;
  const invitation = await openInvitation(request.token, options);
  const email = operatorEmail(request.email);
  const { password, name } = request;
  refuseProblems({ password: passwordProblems(password, email, commonPasswords) });
  if (await isTaken(email, options)) throw operatorExists();
  const id = operatorId(email);
  const { role, invitedBy } = invitation.state;
  // Validates input before consuming the invitation, and verifies the invitation before hashing,
  // because hashing is expensive.
  const made = { id, email, name, role, invitedBy };
  createOperator({ ...made, passwordHash: undefined });
  const { tenant } = await invitations.mutate(
    invitation,
    (state, now) => accept(state, { operatorId: id, email }, now),
    storing,
  );
  const passwordHash = await signIn.hash(password, signal);
  const place = { tenant, now: clock.now(), storing };
  const { stored, inserted } = await operators
    .within(place)
    .insert(createOperator({ ...made, passwordHash }));
  if (!inserted) throw operatorExists();
  if (role === 'OWNER') {
    await organizations
      .within(place)
      .mutate(tenant.organizationId, (organization) => addOwner(organization, id));
  }
  return stored;
}

/**
 * Finds an invitation that can still be accepted, or throws not_found. The first owner's invitation
 * ends when the organization has an operator, any other when its inviter may no longer invite into
 * its role.
 */
async function openInvitation(
  token: string,
  options: InvitationRpcOptions,
): Promise<Stored<Invitation>> {
  const invitation = await options.invitations.find(token);
  if (invitation === undefined) throw invitationNotFound();
  const { state, tenant } = invitation;
  const { acceptedBy, email, expiresAt } = state;
  const isOver = options.clock.now() >= expiresAt;
  const isUsed = acceptedBy !== undefined && (await isStored(acceptedBy, options));
  const isLate = email === undefined && (await hasOperators(tenant, options));
  if (isOver || isUsed || isLate) throw invitationNotFound();
  if (!(await isStillGiven(invitation, options))) throw invitationNotFound();
  return invitation;
}

async function isStillGiven(
  { state: { role, invitedBy }, tenant }: Stored<Invitation>,
  { operators, clock }: InvitationRpcOptions,
): Promise<boolean> {
  if (invitedBy === undefined) return true;
  const inviter = await operators.within({ tenant, now: clock.now() }).find(invitedBy.id);
  return inviter?.state.active === true && mayInvite(inviter.state, role);
}

async function hasOperators(
  tenant: Tenant,
  { operators, clock }: InvitationRpcOptions,
): Promise<boolean> {
  const { total } = await operators
    .within({ tenant, now: clock.now() })
    .list({ page: 1, perPage: 1 });
  return total > 0;
}

function requireRole(): never {
  throw invalidInput({ role: ['Required'] });
}

function isTaken(email: string, options: InvitationRpcOptions): Promise<boolean> {
  return isStored(operatorId(email), options);
}

async function isStored(id: string, { operators }: InvitationRpcOptions): Promise<boolean> {
  return (await findAnywhere(operators, id)) !== undefined;
}
