// Counts redemptions without a counter. The slots of a discount are numbered 1, 2, 3 … without gaps
// and never removed. Each is free or taken by one holder. A redeemer has read the discount at some
// version, with the maximum of that version, and may be slow; a maximum lowered since then must
// still hold. Therefore each slot has a stamp: the minimum version of the discount that a redeemer
// must have read.

/** The discount as a redeemer has read it. */
export interface RedemptionLimit {
  /** Null: no limit. */
  readonly maximum: number | null;
  /** Version of the discount. */
  readonly version: number;
}

/** A slot, reduced to what claims need. */
export interface Slot {
  /** From 1. */
  readonly number: number;
  /**
   * Minimum version of the discount that a redeemer must have read to take the slot or to add one
   * behind it. Never decreases.
   */
  readonly stamp: number;
}

/** A redeemer's view: the last slot, read first, then free slots in ascending order. */
export interface SlotView {
  readonly last: Slot | undefined;
  readonly free: readonly Slot[];
}

/** Next step of a claim. STALE: the discount has changed or is about to change; read it again. */
export type ClaimStep =
  | { readonly kind: 'TAKE'; readonly number: number }
  | { readonly kind: 'ADD'; readonly number: number }
  | { readonly kind: 'EXHAUSTED' }
  | { readonly kind: 'STALE' };

/**
 * Plans the next step of each redeemer, in order: the lowest free slot, otherwise a new one behind
 * the last. A concurrent redeemer may win either; then read the view again. The view must contain a
 * free slot for each redeemer, or all free slots.
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
 * The slot that a lowering to `version` adds behind the last one. A later lowering may already have
 * closed slots: the barrier must not open them.
 */
export function barrierBehind(last: Slot | undefined, version: number): Slot {
  const { number, stamp } = last ?? { number: 0, stamp: 0 };
  return { number: number + 1, stamp: Math.max(stamp, version) };
}

/** A slot above the new maximum. */
export interface SlotAbove extends Slot {
  readonly isFree: boolean;
}

/** Next step of a lowering. */
export type LoweringStep = 'REFUSE' | 'STAMP' | 'DONE';

/**
 * Decides the next step of a lowering to `version`. The barrier is already in place, so redeemers
 * that read an earlier version can add no slots. `above` holds all slots above the new maximum: if
 * none is taken and all are stamped, none will be taken, and the maximum can be written. If another
 * change becomes that version first, the lowering starts again with the next version.
 */
export function nextLoweringStep(above: readonly SlotAbove[], version: number): LoweringStep {
  if (above.some(({ isFree }) => !isFree)) return 'REFUSE';
  return above.every(({ stamp }) => stamp >= version) ? 'DONE' : 'STAMP';
}
