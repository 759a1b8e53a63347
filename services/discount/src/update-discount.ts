import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { checkMetadata } from '@billing/chassis/request-fields';
import { DomainError } from '@billing/kernel/domain-error';
import {
  changeDiscount,
  type Discount,
  type DiscountChanges,
  isLower,
  redemptionsHeld,
} from './discount';
import { closeSlots } from './slot-claims';
import type { SlotStore } from './slot-store';

interface UpdateDependencies {
  readonly discounts: AggregateCollection<Discount>;
  readonly slotsOf: (context: Pick<CallContext, 'tenant'>) => SlotStore;
}

/** Changes to a discount, and the version that the caller expects, if any. */
export interface DiscountUpdate {
  readonly id: string;
  readonly changes: DiscountChanges;
  readonly expectedVersion?: number;
}

// Same limit as the store's compare-and-set retries.
const attemptsMax = 8;

/**
 * Changes a discount, and returns it with its number of redemptions.
 * Retries an update that lost against a concurrent one, unless the caller
 * expected a specific version.
 */
export async function updateDiscount(
  { id, changes, expectedVersion }: DiscountUpdate,
  context: CallContext,
  dependencies: UpdateDependencies,
): Promise<{ stored: Stored<Discount>; redemptionCount: number }> {
  const metadataProblems = checkMetadata(changes.metadata);
  const store = dependencies.discounts.within(context);
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const stored = await store.get(id);
    // The event shows the discount as callers read it. Redemptions are no part of the decision.
    const redemptionCount = await dependencies.slotsOf(context).count(id);
    const updated = { type: 'discount.updated', data: { redemptionCount } };
    const change = (discount: Discount) => changeDiscount(discount, changes, { metadataProblems });
    const version = expectedVersion ?? stored.version;
    if (version === stored.version) {
      await closeSlotsAbove(stored, { after: change(stored.state), context, dependencies });
    }
    try {
      const after = await store.mutate(
        id,
        (discount) => {
          const state = change(discount);
          return { state, events: state === discount ? [] : [updated], commands: [] };
        },
        { expectedVersion: version },
      );
      return { stored: after, redemptionCount };
    } catch (error) {
      if (!isStale(error) || expectedVersion !== undefined) throw error;
    }
  }
  throw new DomainError('unavailable', 'TOO_MANY_WRITERS', 'Service unavailable');
}

/**
 * Closes the redemption slots above a lowered maximum for callers that have read the old one.
 * Throws if a slot is taken, after opening the others again.
 */
async function closeSlotsAbove(
  stored: Stored<Discount>,
  {
    after: { maxRedemptions: maximum },
    context,
    dependencies: { discounts, slotsOf },
  }: { after: Discount; context: CallContext; dependencies: UpdateDependencies },
): Promise<void> {
  const { id, maxRedemptions: before } = stored.state;
  if (maximum === null || !isLower(maximum, before)) return;
  const slots = slotsOf(context);
  // Usually refuses here, before any slot is closed.
  if (await slots.isTakenAbove(id, maximum)) throw redemptionsHeld();
  if (await closeSlots(slots, id, { maximum, version: stored.version + 1 })) return;
  await bumpVersion(stored, context, discounts);
  throw redemptionsHeld();
}

/**
 * Increases the discount's version without any other change. This opens slots that were closed for
 * a version that was never written, after a refusal or a crash. A concurrent update finds its
 * version stale and retries.
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
function isStale(error: unknown): boolean {
  return error instanceof DomainError && error.kind === 'stale';
}
