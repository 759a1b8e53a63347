import { DomainError } from '@billing/kernel/domain-error';
import {
  barrierBehind,
  type LoweringStep,
  nextLoweringStep,
  planClaims,
  type RedemptionLimit,
} from './redemption-slot';
import type { Holder } from './slot-document';
import type { SlotStore } from './slot-store';

/**
 * Slot operations of one environment. Each method reads and writes single documents; concurrent
 * calls interleave.
 */
export type Slots = Pick<
  SlotStore,
  'last' | 'lowestFree' | 'above' | 'holdersAmong' | 'add' | 'take' | 'stampAbove'
>;

/** A holder that needs a slot, and the limit of the discount as read for it. */
export interface Claim {
  readonly holder: Holder;
  readonly limit: RedemptionLimit;
}

/** STALE: a change happened since the limit was read, or is in progress; read it again. */
export type ClaimOutcome = 'HELD' | 'EXHAUSTED' | 'STALE';

// Each lost round means that another replica has won one; after that many the load is extreme, and
// the caller may retry later.
const roundsMax = 50;

/**
 * Assigns a slot to each holder that has none; a holder that has one keeps it. Outcomes are in the
 * order of the claims.
 */
export async function claimSlots(
  slots: Slots,
  discountId: string,
  claims: readonly Claim[],
): Promise<ClaimOutcome[]> {
  const outcomes = new Map<string, ClaimOutcome>();
  let open = [...new Map(claims.map((claim) => [claim.holder.id, claim])).values()];
  for (let round = 1; open.length > 0; round += 1) {
    if (round > roundsMax) throw tooManyWriters();
    const tried = await claimOnce(slots, discountId, open);
    for (const [id, outcome] of tried) outcomes.set(id, outcome);
    open = open.filter(({ holder }) => !outcomes.has(holder.id));
  }
  return claims.map(({ holder }) => {
    const outcome = outcomes.get(holder.id);
    if (outcome === undefined) throw new Error('A claim has no outcome');
    return outcome;
  });
}

/**
 * Closes all slots above a maximum for redeemers that have not read `version`, the version with
 * that maximum; false if one of the slots is taken.
 */
export async function closeSlots(
  slots: Slots,
  discountId: string,
  { maximum, version }: { readonly maximum: number; readonly version: number },
): Promise<boolean> {
  await addBarrier(slots, discountId, version);
  for (let round = 1; round <= roundsMax; round += 1) {
    const step = await loweringStep(slots, discountId, { maximum, version });
    if (step !== 'STAMP') return step === 'DONE';
    await slots.stampAbove(discountId, { number: maximum, version });
  }
  throw tooManyWriters();
}

/**
 * Next step for all slots above the maximum, read page by page: a taken slot is found before any is
 * closed.
 */
async function loweringStep(
  slots: Slots,
  discountId: string,
  { maximum, version }: { readonly maximum: number; readonly version: number },
): Promise<LoweringStep> {
  let step: LoweringStep = 'DONE';
  let above = await slots.above(discountId, maximum);
  for (let last = above.at(-1); last !== undefined; last = above.at(-1)) {
    const next = nextLoweringStep(above, version);
    if (next === 'REFUSE') return next;
    if (next === 'STAMP') step = next;
    above = await slots.above(discountId, last.number);
  }
  return step;
}

/** Outcomes of the claims decided in this round; the others lost against concurrent claims. */
async function claimOnce(
  slots: Slots,
  discountId: string,
  claims: readonly Claim[],
): Promise<Map<string, ClaimOutcome>> {
  const ids = claims.map(({ holder }) => holder.id);
  // The last slot is read before the free ones: if it is the maximum and none is free afterwards,
  // all were taken at that moment.
  const [holders, last] = await Promise.all([
    slots.holdersAmong(discountId, ids),
    slots.last(discountId),
  ]);
  const open = claims.filter(({ holder }) => !holders.has(holder.id));
  const range = { upTo: last?.number ?? 0, limit: open.length };
  const free = range.upTo * range.limit === 0 ? [] : await slots.lowestFree(discountId, range);
  const steps = planClaims(
    { last, free },
    open.map(({ limit }) => limit),
  );
  const outcomes = new Map<string, ClaimOutcome>([...holders].map((id) => [id, 'HELD']));
  const planned: Planned[] = [];
  for (const [place, { holder, limit }] of open.entries()) {
    const step = steps[place];
    if (step?.kind === 'EXHAUSTED' || step?.kind === 'STALE') outcomes.set(holder.id, step.kind);
    else if (step !== undefined)
      planned.push({ number: step.number, kind: step.kind, holder, limit });
  }
  for (const id of await takeAndAdd(slots, discountId, planned)) outcomes.set(id, 'HELD');
  return outcomes;
}

interface Planned extends Claim {
  readonly kind: 'TAKE' | 'ADD';
  readonly number: number;
}

/** Holders that certainly got their planned slot; the next round decides the others. */
async function takeAndAdd(
  slots: Slots,
  discountId: string,
  planned: readonly Planned[],
): Promise<string[]> {
  const adding = planned.filter(({ kind }) => kind === 'ADD');
  const [areAdded, ...taken] = await Promise.all([
    slots.add(
      discountId,
      adding.map(({ number, holder, limit }) => ({ number, stamp: limit.version, holder })),
    ),
    ...planned
      .filter(({ kind }) => kind === 'TAKE')
      .map(async ({ number, holder, limit: { version } }) =>
        (await slots.take(discountId, { number, holder, version })) ? [holder.id] : [],
      ),
  ]);
  return [...(areAdded ? adding.map(({ holder }) => holder.id) : []), ...taken.flat()];
}

async function addBarrier(slots: Slots, discountId: string, version: number): Promise<void> {
  for (let round = 1; round <= roundsMax; round += 1) {
    const barrier = barrierBehind(await slots.last(discountId), version);
    if (await slots.add(discountId, [barrier])) return;
  }
  throw tooManyWriters();
}

function tooManyWriters(): DomainError {
  return new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}
