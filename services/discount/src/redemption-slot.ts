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

/** What a redeemer sees: the last slot, and after that the free one with the lowest number up to its maximum. */
export interface SlotView {
  readonly last: Slot | undefined;
  readonly lowestFree: Slot | undefined;
}

/** How a redeemer goes on. STALE: the discount has changed, or is about to, and must be read again. */
export type ClaimStep =
  | { readonly kind: 'TAKE'; readonly slot: Slot }
  | { readonly kind: 'ADD'; readonly number: number }
  | { readonly kind: 'EXHAUSTED' }
  | { readonly kind: 'STALE'; readonly stamp: number };

/**
 * The next step of a redeemer: the free slot with the lowest number, else one more behind the last. Both may be lost to another, who was
 * faster: then look again.
 */
export function nextClaimStep(
  { last, lowestFree }: SlotView,
  { maximum, version }: RedemptionLimit,
): ClaimStep {
  if (lowestFree !== undefined) {
    const { stamp } = lowestFree;
    return stamp > version ? { kind: 'STALE', stamp } : { kind: 'TAKE', slot: lowestFree };
  }
  const { number, stamp } = last ?? { number: 0, stamp: 0 };
  if (maximum !== null && number >= maximum) return { kind: 'EXHAUSTED' };
  return stamp > version ? { kind: 'STALE', stamp } : { kind: 'ADD', number: number + 1 };
}

/** A slot above a maximum that is to be. */
export interface SlotAbove extends Slot {
  readonly isFree: boolean;
}

/** How the lowering of a maximum goes on. */
export type LoweringStep = 'REFUSE' | 'STAMP' | 'DONE';

/**
 * The next step of a lowering, which becomes `version` of the discount. It has added one free slot with this stamp behind the last one
 * before, so that nobody who has read an earlier version adds any more. `above` are all slots above the new maximum: where none is taken
 * and all have the stamp, none will be taken by those either, and the maximum may be written; if something else becomes that version
 * first, the lowering begins again with the next one.
 */
export function nextLoweringStep(above: readonly SlotAbove[], version: number): LoweringStep {
  if (above.some(({ isFree }) => !isFree)) return 'REFUSE';
  return above.every(({ stamp }) => stamp >= version) ? 'DONE' : 'STAMP';
}
