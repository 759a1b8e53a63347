import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { type Clock, sleep } from '@billing/chassis/clock';
import { isId, jitter } from '@billing/chassis/ids';
import { parseCurrency } from '@billing/kernel/currency';
import { DomainError } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import {
  RedemptionHolder as ProtoRedemptionHolder,
  type ReserveRedemptionRequest,
} from '@billing/proto/billing/discount/v1/discount';
import type { Discount } from './discount';
import { purchaseRefusal, refusedRedemption } from './redemption';
import type { KeyedBatcher } from './keyed-batcher';
import { type Claim, type ClaimOutcome, claimSlots } from './slot-claims';
import type { HolderKind } from './slot-document';
import type { SlotStore } from './slot-store';

export interface RedemptionDependencies {
  readonly discounts: AggregateCollection<Discount>;
  readonly slotsOf: (context: Pick<CallContext, 'tenant'>) => SlotStore;
  /** Batches the reservations of each discount. */
  readonly claims: KeyedBatcher<Claim, ClaimOutcome>;
  readonly clock: Clock;
  /** Delay after a reservation before its holder is checked. */
  readonly checkAfterMs: number;
}

const attemptsMax = 20;
// A change of the maximum takes a few writes; an obstacle that lasts longer was left by a crash.
const attemptsBeforeBump = 5;
const pauseMs = 20;

/**
 * Reserves a redemption for a holder and returns the discount that was read for it. A holder that
 * has one keeps it.
 */
export async function reserve(
  request: ReserveRedemptionRequest,
  context: CallContext,
  { discounts, slotsOf, claims, clock, checkAfterMs }: RedemptionDependencies,
): Promise<Stored<Discount>> {
  const { discountId, holderId, productId } = request;
  const currency = parseCurrency(request.currency);
  const kind = fromProtoHolder(request);
  const slots = slotsOf(context);
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const stored = await discounts.within(context).get(discountId);
    // The slots decide whether a redemption is left.
    const purchase = { productId, currency, at: context.now, redemptions: 0 };
    const refusal = purchaseRefusal(stored.state, purchase);
    if (refusal !== null) {
      // A holder keeps its redemption, regardless of changes to the discount.
      if ((await slots.holdersAmong(discountId, [holderId])).size > 0) return stored;
      throw refusedRedemption(refusal);
    }
    const askAt = new Date(clock.now().getTime() + checkAfterMs);
    const holder = { kind, id: holderId, heldAt: context.now, askAt };
    const limit = { maximum: stored.state.maxRedemptions, version: stored.version };
    const outcome = await claims.add(discountId, { holder, limit }, (batch) =>
      claimSlots(slots, discountId, batch),
    );
    if (outcome === 'HELD') return stored;
    if (outcome === 'EXHAUSTED') throw refusedRedemption('DISCOUNT_EXHAUSTED');
    if (attempt > attemptsBeforeBump) await bumpVersion(stored, context, discounts);
    else if (attempt > 1) await sleep(pauseMs * attempt * jitter(0.5));
  }
  throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

/**
 * Increases the discount's version without any other change. Slots that a crash left closed for a
 * version that was never written become open; a change in progress starts again.
 */
export async function bumpVersion(
  { state: { id }, version }: Stored<Discount>,
  context: CallContext,
  discounts: AggregateCollection<Discount>,
): Promise<void> {
  try {
    await discounts
      .within(context)
      .mutate(id, (discount) => ({ state: { ...discount }, events: [], commands: [] }), {
        expectedVersion: version,
      });
  } catch (error) {
    // Another caller increased it.
    if (!isStale(error)) throw error;
  }
}

/** True for a version conflict. */
export function isStale(error: unknown): boolean {
  return error instanceof DomainError && error.kind === 'stale';
}

function fromProtoHolder({ holder, holderId }: ReserveRedemptionRequest): HolderKind {
  const kind = holderKinds.get(holder);
  refuseProblems({
    holder: kind === undefined ? ['Invalid holder'] : [],
    holderId: isId(holderId) ? [] : ['Invalid uuid'],
  });
  if (kind === undefined) throw new Error('Unvalidated holder');
  return kind;
}

const holderKinds: ReadonlyMap<ProtoRedemptionHolder, HolderKind> = new Map([
  [ProtoRedemptionHolder.REDEMPTION_HOLDER_CHECKOUT_SESSION, 'CHECKOUT_SESSION'],
  [ProtoRedemptionHolder.REDEMPTION_HOLDER_SUBSCRIPTION, 'SUBSCRIPTION'],
]);
