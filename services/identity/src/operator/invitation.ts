import { notFound } from '@billing/kernel/domain-error';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import type { Inviter, Role } from './operator';

/** Makes the holder of its token an operator, once. Its id derives from the token's HMAC. */
export interface Invitation {
  readonly id: string;
  readonly role: Role;
  /** The invited address; undefined for an organization's first owner, who enters one. */
  readonly email: string | undefined;
  /** Real time. */
  readonly expiresAt: Date;
  /** The operator who has accepted it. */
  readonly acceptedBy: string | undefined;
  /**
   * Undefined for an organization's first owner, and for invitations of releases that did not store
   * it.
   */
  readonly invitedBy: Inviter | undefined;
}

const dayMs = 24 * 60 * 60 * 1_000;
const lifetimeMs = 7 * dayMs;

/** Creates an invitation; `now` is real time. */
export function invite(
  id: string,
  { role, email, invitedBy }: Pick<Invitation, 'role' | 'email' | 'invitedBy'>,
  now: Date,
): Transition<Invitation> {
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  return only({ id, role, email, expiresAt, acceptedBy: undefined, invitedBy });
}

/**
 * Consumes the invitation for one operator, who may retry: the process that stored this may have
 * died before it stored the operator. Throws not_found when it is expired, or used by or meant for
 * another person.
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

/** The same answer for unknown, used and expired invitations. */
export function invitationNotFound() {
  return notFound('Invitation');
}
