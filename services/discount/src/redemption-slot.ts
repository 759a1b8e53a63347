// How redemptions are counted without a counter. A discount's slots are numbered 1, 2, 3 … without gaps; none is ever removed. Each is
// free or taken by one holder. Whoever takes one has read the discount before, at some version, with the maximum of that time, and may
// be slow; a maximum that is lowered meanwhile must still hold. Therefore each slot has a stamp, the version of the discount that it
// belongs to, and is closed to everybody who has read an earlier one.

/** What a redeemer has read of the discount. */
export interface RedemptionLimit {
  /** Null: no limit. */
  readonly maximum: number | null;
  /** The discount's. */
  readonly version: number;
}

/** A slot, as far as it matters to those who look for one. */
export interface Slot {
  /** From 1. */
  readonly number: number;
  /** The least version of the discount that one must have read to take it, or to add another behind it. Never falls. */
  readonly stamp: number;
}

/** What redeemers see: the last slot, and after that free ones, the lowest numbers first. */
export interface SlotView {
  readonly last: Slot | undefined;
  readonly free: readonly Slot[];
}

/** How a redeemer goes on. STALE: the discount has changed, or is about to, and must be read again. */
export type ClaimStep =
  | { readonly kind: 'TAKE'; readonly number: number }
  | { readonly kind: 'ADD'; readonly number: number }
  | { readonly kind: 'EXHAUSTED' }
  | { readonly kind: 'STALE' };

/**
 * The next step of each redeemer, one after another: a free slot with the lowest number, else one more behind the last. Both may be lost to
 * another, who was faster: then look again. The view must hold as many free slots as there are redeemers, or all.
 */
export function planClaims(view: SlotView, limits: readonly RedemptionLimit[]): ClaimStep[] {
  const free = [...view.free];
  let last = view.last ?? { number: 0, stamp: 0 };
  return limits.map((limit) => {
    const step = nextClaimStep(last, free[0], limit);
    if (step.kind === 'TAKE') free.shift();
    if (step.kind === 'ADD') last = { number: step.number, stamp: limit.version };
    return step;
  });
}

function nextClaimStep(
  last: Slot,
  lowestFree: Slot | undefined,
  { maximum, version }: RedemptionLimit,
): ClaimStep {
  if (lowestFree !== undefined && (maximum === null || lowestFree.number <= maximum)) {
    const { number, stamp } = lowestFree;
    return stamp > version ? { kind: 'STALE' } : { kind: 'TAKE', number };
  }
  if (maximum !== null && last.number >= maximum) return { kind: 'EXHAUSTED' };
  return last.stamp > version ? { kind: 'STALE' } : { kind: 'ADD', number: last.number + 1 };
}

/**
 * The slot that a lowering, which is to become `version` of the discount, adds behind the last one. A later lowering may have been faster;
 * what it closed must not be opened again by a barrier behind its own.
 */
export function barrierBehind(last: Slot | undefined, version: number): Slot {
  const { number, stamp } = last ?? { number: 0, stamp: 0 };
  return { number: number + 1, stamp: Math.max(stamp, version) };
}

/** A slot above a maximum that is to be. */
export interface SlotAbove extends Slot {
  readonly isFree: boolean;
}

/** How the lowering of a maximum goes on. */
export type LoweringStep = 'REFUSE' | 'STAMP' | 'DONE';

/**
 * The next step of a lowering, which becomes `version` of the discount. It has added its barrier before, so that nobody who has read an
 * earlier version adds any more. `above` are all slots above the new maximum: where none is taken and all have the stamp, none will be
 * taken by those either, and the maximum may be written. If something else becomes that version first, the lowering begins again with
 * the next one.
 */
export function nextLoweringStep(above: readonly SlotAbove[], version: number): LoweringStep {
  if (above.some(({ isFree }) => !isFree)) return 'REFUSE';
  return above.every(({ stamp }) => stamp >= version) ? 'DONE' : 'STAMP';
}
