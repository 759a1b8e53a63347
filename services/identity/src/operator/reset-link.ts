import { only, type Transition } from '@billing/kernel/transition';
import { mayReset, type Operator } from './operator';

/** Lets an operator set a new password, once. Its id derives from the token's HMAC. */
export interface ResetLink {
  readonly id: string;
  readonly operatorId: string;
  /**
   * The operator who created the link; undefined for the machine, and for links of releases that
   * did not store it.
   */
  readonly createdBy: string | undefined;
  /** True if only the mail to the operator had the link. */
  readonly isMailed: boolean;
  /** True if a command on the machine created the link: its use removes the second factor. */
  readonly isOfMachine: boolean;
  /**
   * Generation of the operator's sessions at the link's creation: the new password ends it, and so
   * does every other change that ends sessions.
   */
  readonly generation: number;
  /** Real time. */
  readonly expiresAt: Date;
}

const lifetimeMs = 60 * 60 * 1_000;

/** Creates a link; `now` is real time. */
export function issueResetLink(
  id: string,
  {
    operator: { id: operatorId, sessionGeneration: generation },
    createdBy,
    isMailed = false,
    isOfMachine = false,
  }: {
    readonly operator: Operator;
    readonly createdBy: string | undefined;
    readonly isMailed?: boolean;
    readonly isOfMachine?: boolean;
  },
  now: Date,
): Transition<ResetLink> {
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  return only({ id, operatorId, createdBy, isMailed, isOfMachine, generation, expiresAt });
}

/**
 * True while the link may set the operator's password at real time `now`. An operator's link
 * (`creator`) is valid only while its creator may create it.
 */
export function isResetLinkValid(
  link: ResetLink,
  { operator, creator }: { readonly operator: Operator; readonly creator: Operator | undefined },
  now: Date,
): boolean {
  const { operatorId, createdBy, generation, expiresAt } = link;
  const isOfOperator = operatorId === operator.id && generation === operator.sessionGeneration;
  if (!isOfOperator || !operator.active || now >= expiresAt) return false;
  return createdBy === undefined || (creator?.active === true && mayReset(creator, operator));
}
