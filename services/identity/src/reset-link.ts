import { only, type Transition } from '@billing/kernel/transition';
import { mayReset, type Operator } from './operator';

/** What lets an operator set a new password, once. Its id derives from the token's HMAC. */
export interface ResetLink {
  readonly id: string;
  readonly operatorId: string;
  /** The operator who created the link; undefined where the machine did, and for links of releases that did not keep it. */
  readonly createdBy: string | undefined;
  /** Of the operator's sessions when the link was made: the new password ends it, and so does all else that ends sessions. */
  readonly generation: number;
  /** Real time. */
  readonly expiresAt: Date;
}

const lifetimeMs = 60 * 60 * 1_000;

/** A new link; `now` is real time. */
export function makeResetLink(
  id: string,
  {
    operator: { id: operatorId, sessionGeneration: generation },
    createdBy,
  }: { readonly operator: Operator; readonly createdBy: string | undefined },
  now: Date,
): Transition<ResetLink> {
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  return only({ id, operatorId, createdBy, generation, expiresAt });
}

/**
 * Whether the link sets the operator's password at real time `now`. A link of an operator (`creator`) is good only while its creator may
 * create it.
 */
export function isResetLinkGood(
  link: ResetLink,
  { operator, creator }: { readonly operator: Operator; readonly creator: Operator | undefined },
  now: Date,
): boolean {
  const { operatorId, createdBy, generation, expiresAt } = link;
  const isOfOperator = operatorId === operator.id && generation === operator.sessionGeneration;
  if (!isOfOperator || !operator.active || now >= expiresAt) return false;
  return createdBy === undefined || (creator?.active === true && mayReset(creator, operator));
}
