import { only, type Transition } from '@billing/kernel/transition';
import type { Operator } from './operator';

/** What lets an operator set a new password, once. Its id derives from the token's HMAC. */
export interface ResetLink {
  readonly id: string;
  readonly operatorId: string;
  /** Of the operator's sessions when the link was made: the new password ends it, and so does all else that ends sessions. */
  readonly generation: number;
  /** Real time. */
  readonly expiresAt: Date;
}

const lifetimeMs = 60 * 60 * 1_000;

/** A new link; `now` is real time. */
export function makeResetLink(
  id: string,
  { id: operatorId, sessionGeneration: generation }: Operator,
  now: Date,
): Transition<ResetLink> {
  return only({ id, operatorId, generation, expiresAt: new Date(now.getTime() + lifetimeMs) });
}

/** Whether the link sets the operator's password at real time `now`. */
export function isResetLinkGood(link: ResetLink, operator: Operator, now: Date): boolean {
  const { operatorId, generation, expiresAt } = link;
  const isOfOperator = operatorId === operator.id && generation === operator.sessionGeneration;
  return isOfOperator && operator.active && now < expiresAt;
}
