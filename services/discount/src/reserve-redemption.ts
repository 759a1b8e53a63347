import { Batcher, succeeded } from '@billing/chassis/batcher';
import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import { jitter } from '@billing/chassis/ids';
import type { Currency } from '@billing/kernel/currency';
import { DomainError } from '@billing/kernel/domain-error';
import type { Discount } from './discount';
import { purchaseRefusal, refusedRedemption } from './redemption';
import { type Claim, type ClaimOutcome, claimSlots } from './slot-claims';
import type { Holder } from './slot-document';
import type { SlotStore } from './slot-store';
import { bumpVersion } from './update-discount';

export interface RedemptionDependencies {
  readonly discounts: AggregateCollection<Discount>;
  readonly slotsOf: (context: Pick<CallContext, 'tenant'>) => SlotStore;
  /** Batches the claims of each discount. */
  readonly claims: SlotClaims;
  readonly clock: Clock;
  /** Delay after a reservation before its holder is checked. */
  readonly checkAfterMs: number;
}

interface SlotClaim extends Claim {
  readonly discountId: string;
  readonly slots: SlotStore;
}

type SlotClaims = Batcher<SlotClaim, ClaimOutcome>;

/** A redemption to reserve for a holder. */
export interface Reservation extends Pick<Holder, 'kind' | 'id' | 'change' | 'code'> {
  readonly discountId: string;
  /** Products that are bought; the discount must be for one of them. */
  readonly productIds: readonly string[];
  readonly currency: Currency;
}

/** The question whether a redemption could be reserved. */
export interface RedemptionQuestion extends Pick<
  Reservation,
  'discountId' | 'productIds' | 'currency'
> {
  /** Undefined: a holder without a redemption. */
  readonly holderId: string | undefined;
}

// More than a process has in flight.
const claimsMax = 1_000;
const attemptsMax = 20;
// A change of the maximum takes a few writes; an obstacle that lasts longer was left by a crash.
const attemptsBeforeBump = 5;
const pauseMs = 20;

/** One batch per discount at a time, because two would compete for the same slots. */
export function openClaims(): SlotClaims {
  return new Batcher({
    batchMax: claimsMax,
    flushesMax: 1,
    groupOf: ({ discountId }) => discountId,
    flush: async (claims) => {
      const [first] = claims;
      if (first === undefined) return [];
      return succeeded(await claimSlots(first.slots, first.discountId, claims));
    },
  });
}

/**
 * Reserves a redemption for a holder and returns the discount that was read for it. A holder that
 * has one keeps it.
 */
export async function reserve(
  { discountId, productIds, currency, ...named }: Reservation,
  context: CallContext,
  { discounts, slotsOf, claims, clock, checkAfterMs }: RedemptionDependencies,
): Promise<Stored<Discount>> {
  const slots = slotsOf(context);
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const stored = await discounts.within(context).get(discountId);
    // The slots decide whether a redemption is left.
    const purchase = { productIds, currency, at: context.now, redemptions: 0 };
    const refusal = purchaseRefusal(stored.state, purchase);
    if (refusal !== null) {
      await requireHeld(slots, { discountId, holderId: named.id }, refusal);
      return stored;
    }
    const askAt = new Date(clock.now().getTime() + checkAfterMs);
    const holder = { ...named, heldAt: context.now, askAt };
    const limit = { maximum: stored.state.maxRedemptions, version: stored.version };
    const outcome = await claims.run({ discountId, slots, holder, limit });
    if (outcome === 'HELD') return stored;
    if (outcome === 'EXHAUSTED') throw refusedRedemption('DISCOUNT_EXHAUSTED');
    if (attempt > attemptsBeforeBump) await bumpVersion(stored, context, discounts);
    else if (attempt > 1) await sleep(pauseMs * attempt * jitter(0.5));
  }
  throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

/** Returns the discount that a reservation would find now, and refuses what it would refuse. */
export async function quoteRedemption(
  { discountId, holderId, productIds, currency }: RedemptionQuestion,
  context: CallContext,
  { discounts, slotsOf }: Pick<RedemptionDependencies, 'discounts' | 'slotsOf'>,
): Promise<Stored<Discount>> {
  const slots = slotsOf(context);
  const stored = await discounts.within(context).get(discountId);
  const redemptions = await slots.count(discountId);
  const purchase = { productIds, currency, at: context.now, redemptions };
  const refusal = purchaseRefusal(stored.state, purchase);
  if (refusal !== null) await requireHeld(slots, { discountId, holderId }, refusal);
  return stored;
}

/** Throws a refusal for a holder without a redemption; one that has a redemption keeps it. */
export async function requireHeld(
  slots: SlotStore,
  { discountId, holderId }: Pick<RedemptionQuestion, 'discountId' | 'holderId'>,
  refusal: Parameters<typeof refusedRedemption>[0],
): Promise<void> {
  const holderIds = holderId === undefined ? [] : [holderId];
  const held = await slots.holdersAmong(discountId, holderIds);
  if (held.size === 0) throw refusedRedemption(refusal);
}
