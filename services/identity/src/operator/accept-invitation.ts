import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import type { Logger } from '@billing/chassis/logging';
import { type InputProblems, refuseProblems } from '@billing/kernel/input-problems';
import { operatorProblems } from '@billing/kernel/operator-fields';
import type { AcceptInvitationRequest } from '@billing/proto/billing/identity/v1/operator';
import type { AuditStore } from '../audit/audit-store';
import { addOwner, type Organization } from '../organization/organization';
import { type CommonPasswords, passwordProblems } from '../password/password';
import { isConfirmed } from '../second-factor/second-factor';
import { recordedChange } from './audit-operator';
import { accept, type Invitation, invitationNotFound } from './invitation';
import {
  createOperator,
  mayInvite,
  type Operator,
  operatorEmail,
  operatorExists,
} from './operator';
import { isPasswordOff } from './operator-factor';
import { findAnywhere, findHolder, operatorId, withUniqueEmail } from './operator-store';
import { elseEarlier, hasSetPassword, passwordRequestId } from './find-earlier-attempt';
import type { SignIn, SignInCall } from './sign-in';
import type { TokenStore } from './token-store';

const path = '/dashboard/api/invitations/accept';

/** A call that accepts an invitation. */
type AcceptInvitationCall = SignInCall & Pick<CallContext, 'requestId'>;

export interface AcceptInvitationDependencies {
  readonly signIn: SignIn;
  readonly organizations: AggregateCollection<Organization>;
  readonly operators: AggregateCollection<Operator>;
  readonly invitations: TokenStore<Invitation>;
  readonly commonPasswords: CommonPasswords;
  readonly audit: AuditStore;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/** A new operator; `isPasswordOff`: they have no password, and sign in with the provider. */
interface Accepted {
  readonly operator: Stored<Operator>;
  readonly isPasswordOff: boolean;
}

/** Accepts an invitation. */
export async function acceptInvitation(
  request: AcceptInvitationRequest,
  call: AcceptInvitationCall,
  dependencies: AcceptInvitationDependencies,
): Promise<Accepted> {
  const { organizations, clock, logger } = dependencies;
  const accepted = await elseEarlier(
    () => acceptOnce(request, call, dependencies),
    () => findAccepted(request, call, dependencies),
  );
  const { state, tenant } = accepted.operator;
  if (state.role !== 'OWNER') return accepted;
  const { storing } = call;
  const counted = organizations
    .within({ tenant, now: clock.now(), storing })
    .mutate(tenant.organizationId, (organization) => addOwner(organization, state.id));
  // An owner who is not counted protects the others from leaving, until the owner's role is set
  // again.
  return elseAsWritten(
    accepted,
    counted.then(() => accepted),
    { logger, storing },
  );
}

/**
 * Finds the operator whom an earlier attempt has stored, unless the operator has changed the
 * password, set up a second factor or lost access since.
 */
async function findAccepted(
  { token, email, password, retryKey, providerConfigured }: AcceptInvitationRequest,
  call: AcceptInvitationCall,
  dependencies: AcceptInvitationDependencies,
): Promise<Accepted | undefined> {
  const { signIn, operators, invitations } = dependencies;
  const invitation = await invitations.find(token);
  const { acceptedBy } = invitation?.state ?? {};
  if (invitation === undefined || acceptedBy === undefined) return undefined;
  const operator = await findAnywhere(operators, acceptedBy);
  const id = passwordRequestId(invitation.state.id, retryKey);
  if (operator === undefined || id === undefined) return undefined;
  const { state } = operator;
  const isAsNew = state.active && state.sessionGeneration === 1 && !isConfirmed(state.secondFactor);
  if (!isAsNew || state.email !== email.trim().toLowerCase()) return undefined;
  const { signInRules } = (await organizationOf(invitation, dependencies)).state;
  if (isPasswordOff(signInRules, providerConfigured)) {
    return state.passwordRequestId === id ? { operator, isPasswordOff: true } : undefined;
  }
  const isSame = await hasSetPassword(operator, { id, password }, { signIn, call });
  return isSame ? { operator, isPasswordOff: false } : undefined;
}

/**
 * Accepts an invitation that was not accepted yet. The invitation is consumed for one address
 * first, then the operator is stored: an interrupted caller retries, and no other person can use
 * the same link.
 */
async function acceptOnce(
  request: AcceptInvitationRequest,
  { signal, storing, requestId }: AcceptInvitationCall,
  dependencies: AcceptInvitationDependencies,
): Promise<Accepted> {
  const { signIn, operators, invitations, commonPasswords, clock } = dependencies;
  const invitation = await openInvitation(request.token, dependencies);
  const { password, name, providerConfigured } = request;
  const { signInRules } = (await organizationOf(invitation, dependencies)).state;
  const isOff = isPasswordOff(signInRules, providerConfigured);
  refuseProblems(acceptanceProblems(request, { isPasswordOff: isOff, commonPasswords }));
  const email = operatorEmail(request.email);
  if ((await findHolder(operators, email)) !== undefined) throw operatorExists();
  const id = operatorId(email);
  const { role, invitedBy } = invitation.state;
  // Verifies the invitation before hashing, because hashing is expensive.
  const made = {
    ...{ id, email, name, role, invitedBy },
    passwordRequestId: passwordRequestId(invitation.state.id, request.retryKey),
  };
  const { tenant } = await invitations.mutate(
    invitation,
    (state, now) => accept(state, { operatorId: id, email }, now),
    storing,
  );
  const passwordHash = isOff ? undefined : await signIn.hash(password, signal);
  // The consumed invitation is no operator; a retry goes on with it.
  storing?.close();
  const place = { tenant, now: clock.now(), storing };
  const { origin } = request;
  const acceptance = { tenant, operator: { id, email }, path, requestId, origin, status: 200 };
  const stored = await recordedChange(acceptance, dependencies, async () => {
    const { stored: created, inserted } = await withUniqueEmail(() =>
      operators.within(place).insert(createOperator({ ...made, passwordHash })),
    );
    if (!inserted) throw operatorExists();
    return created;
  });
  return { operator: stored, isPasswordOff: isOff };
}

function acceptanceProblems(
  { email, name, password }: Pick<AcceptInvitationRequest, 'email' | 'name' | 'password'>,
  {
    isPasswordOff: isOff,
    commonPasswords,
  }: { readonly isPasswordOff: boolean; readonly commonPasswords: CommonPasswords },
): InputProblems {
  const problems = operatorProblems({ email, name });
  const address = problems.email?.length === 0 ? operatorEmail(email) : email;
  return {
    ...problems,
    password: isOff ? [] : passwordProblems(password, address, commonPasswords),
  };
}

/** Finds the organization of an invitation. */
export function organizationOf(
  { tenant }: Stored<Invitation>,
  { organizations, clock }: AcceptInvitationDependencies,
): Promise<Stored<Organization>> {
  return organizations.within({ tenant, now: clock.now() }).get(tenant.organizationId);
}

/**
 * Finds an invitation that can still be accepted, or throws not_found. The first owner's invitation
 * ends when the organization has an operator, any other when its inviter may no longer invite into
 * its role.
 */
export async function openInvitation(
  token: string,
  dependencies: AcceptInvitationDependencies,
): Promise<Stored<Invitation>> {
  const invitation = await dependencies.invitations.find(token);
  if (invitation === undefined) throw invitationNotFound();
  const { state, tenant } = invitation;
  const { acceptedBy, email, expiresAt } = state;
  const isOver = dependencies.clock.now() >= expiresAt;
  const isUsed = acceptedBy !== undefined && (await isStored(acceptedBy, dependencies));
  const isLate = email === undefined && (await hasOperators(tenant, dependencies));
  if (isOver || isUsed || isLate) throw invitationNotFound();
  if (!(await isStillGiven(invitation, dependencies))) throw invitationNotFound();
  return invitation;
}

async function isStillGiven(
  { state: { role, invitedBy }, tenant }: Stored<Invitation>,
  { operators, clock }: AcceptInvitationDependencies,
): Promise<boolean> {
  if (invitedBy === undefined) return true;
  const inviter = await operators.within({ tenant, now: clock.now() }).find(invitedBy.id);
  return inviter?.state.active === true && mayInvite(inviter.state, role);
}

export async function hasOperators(
  tenant: Tenant,
  { operators, clock }: AcceptInvitationDependencies,
): Promise<boolean> {
  const { total } = await operators
    .within({ tenant, now: clock.now() })
    .list({ page: 1, perPage: 1 });
  return total > 0;
}

async function isStored(id: string, { operators }: AcceptInvitationDependencies): Promise<boolean> {
  return (await findAnywhere(operators, id)) !== undefined;
}
