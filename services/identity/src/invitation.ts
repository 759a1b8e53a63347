import { notFound } from '@billing/kernel/domain-error';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import type { Inviter, Role } from './operator';

/** What makes whoever has its token an operator, once. Its id derives from the token's HMAC. */
export interface Invitation {
  readonly id: string;
  readonly role: Role;
  /** Who is meant; undefined for an organisation's first owner, who says it. */
  readonly email: string | undefined;
  /** Real time. */
  readonly expiresAt: Date;
  /** The operator who has accepted it. */
  readonly acceptedBy: string | undefined;
  /** Undefined for an organisation's first owner, and for invitations of releases that did not keep it. */
  readonly invitedBy: Inviter | undefined;
}

const dayMs = 24 * 60 * 60 * 1_000;
const lifetimeMs = 7 * dayMs;

/** A new invitation; `now` is real time. */
export function invite(
  id: string,
  { role, email, invitedBy }: Pick<Invitation, 'role' | 'email' | 'invitedBy'>,
  now: Date,
): Transition<Invitation> {
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  return only({ id, role, email, expiresAt, acceptedBy: undefined, invitedBy });
}

/**
 * Uses the invitation up for one operator, who may try again: the process that stored this may have died before it stored the operator.
 * Throws not_found where it is expired, used by somebody else, or meant for somebody else.
 */
export function accept(
  invitation: Invitation,
  { operatorId, email }: { readonly operatorId: string; readonly email: string },
  now: Date,
): Transition<Invitation> {
  const { acceptedBy, expiresAt } = invitation;
  const isForAnother = invitation.email !== undefined && invitation.email !== email;
  if (now >= expiresAt || isForAnother) throw invitationNotFound();
  if (acceptedBy === operatorId) return unchanged(invitation);
  if (acceptedBy !== undefined) throw invitationNotFound();
  return only({ ...invitation, acceptedBy: operatorId });
}

/** One answer whether it never existed, is used up or has expired. */
export function invitationNotFound() {
  return notFound('Invitation');
}
