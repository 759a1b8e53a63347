import { type Command, only, unchanged } from '@billing/kernel/transition';
import type { Session, SessionRecord, SessionTransition, TypedCodes } from './session';

const wrongMax = 10;
const replacementsMax = 5;
/** Payers who do not pay must not block a limited discount for others. */
const holdsForMs = 30 * 60 * 1000;

const none: TypedCodes = {
  ...{ round: 0, wrong: 0, replacements: 0 },
  ...{ held: undefined, replacedInvoiceId: undefined },
};

/** True if the payer may type a code now. */
export function takesCode(record: SessionRecord): record is Session {
  if (!isFree(record) || record.allowsCodes !== true) return false;
  const { wrong, replacements } = record.codes ?? none;
  return record.discountId === undefined && wrong < wrongMax && replacements < replacementsMax;
}

/** True if the payer may remove a code now. */
export function removesCode(record: SessionRecord): record is Session {
  return isFree(record) && record.codes?.held !== undefined;
}

/** Number of the round in which the next code is applied. */
export function nextCodeRound({ codes = none }: Pick<Session, 'codes'>): number {
  return codes.round + 1;
}

/** Counts a code that is not valid. */
export function countWrongCode(record: SessionRecord): SessionTransition {
  if (!takesCode(record)) return unchanged(record);
  const { codes = none } = record;
  return only({ ...record, codes: { ...codes, wrong: codes.wrong + 1 } });
}

/** A code whose redemption is held in a round, and the purchase with its discount. */
export interface HeldCode {
  readonly round: number;
  readonly holderId: string;
  readonly discountId: string;
  /** Redeemed terms, as stored. */
  readonly discount: string;
  readonly total: bigint;
  readonly invoiceId: string;
  readonly now: Date;
}

/**
 * Puts a code in force: another invoice takes the place of the session's. The session stays as it
 * is if it takes no code, or if another code has decided the round.
 */
export function applyCode(record: SessionRecord, code: HeldCode): SessionTransition {
  if (!takesCode(record) || nextCodeRound(record) !== code.round) return unchanged(record);
  const { round, holderId, discountId, discount, now } = code;
  const replaced = withInvoice(record, code);
  const { checkoutLinkId, expiresAt: plainExpiresAt } = record;
  const endsAt = new Date(now.getTime() + holdsForMs);
  const isShortened = checkoutLinkId !== undefined && endsAt < plainExpiresAt;
  const held = { round, holderId, ...(isShortened && { plainExpiresAt }) };
  const expiresAt = isShortened ? endsAt : plainExpiresAt;
  const snapshots = { ...record.snapshots, discount };
  const codes = { ...replaced.codes, held };
  return {
    state: { ...replaced, codes, discountId, snapshots, expiresAt },
    events: [],
    commands: replacing(record),
  };
}

/** Takes a code back: an invoice without its discount takes the place of the session's. */
export function removeCode(
  record: SessionRecord,
  plain: Pick<HeldCode, 'total' | 'invoiceId' | 'round'>,
): SessionTransition {
  if (!removesCode(record) || nextCodeRound(record) !== plain.round) return unchanged(record);
  const { discountId, codes } = record;
  const { holderId, plainExpiresAt: expiresAt = record.expiresAt } = codes?.held ?? {};
  const replaced = withInvoice(record, plain);
  const snapshots = { ...record.snapshots, discount: undefined };
  return {
    state: { ...replaced, discountId: undefined, snapshots, expiresAt },
    events: [],
    commands: [
      ...replacing(record),
      { type: 'releaseCode', payload: { discountId, holderId } } satisfies Command,
    ],
  };
}

/** Refuses a round that no code has decided: a call that still applies one finds it taken. */
export function refuseRound(record: SessionRecord, round: number): SessionTransition {
  if (record.isTombstone || (record.codes ?? none).round >= round) return unchanged(record);
  return only({ ...record, codes: { ...(record.codes ?? none), round } });
}

/** State of the redemption that a typed code holds; undefined: its round is not decided. */
export function codeRedemptionOf(
  record: SessionRecord,
  { discountId, round }: { readonly discountId: string; readonly round: number },
): 'HELD' | 'CONFIRMED' | 'RELEASED' | undefined {
  if (record.isTombstone) return 'RELEASED';
  const { codes = none, phase } = record;
  if (codes.held?.round === round && record.discountId === discountId) {
    if (phase === 'COMPLETE') return 'CONFIRMED';
    return phase === 'EXPIRED' ? 'RELEASED' : 'HELD';
  }
  const isDecided = codes.round >= round || phase === 'COMPLETE' || phase === 'EXPIRED';
  return isDecided ? 'RELEASED' : undefined;
}

function isFree(record: SessionRecord): record is Session {
  return !record.isTombstone && record.phase === 'READY' && record.challenge === undefined;
}

function withInvoice(
  record: Session,
  { round, total, invoiceId }: Pick<HeldCode, 'round' | 'total' | 'invoiceId'>,
): Session & { readonly codes: TypedCodes } {
  const { codes = none, invoiceId: replacedInvoiceId } = record;
  const replacements = codes.replacements + 1;
  return {
    ...record,
    ...{ total, invoiceId, lastPaymentError: undefined },
    codes: { ...codes, round, replacements, held: undefined, replacedInvoiceId },
  };
}

function replacing({ invoiceId }: Pick<Session, 'invoiceId'>): Command[] {
  return [
    { type: 'createInvoice', payload: {} },
    { type: 'voidReplaced', payload: { invoiceId } },
  ];
}
