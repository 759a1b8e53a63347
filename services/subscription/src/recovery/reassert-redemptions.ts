import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import { DomainError, unlessNotFound } from '@billing/kernel/domain-error';
import type { CommandDependencies } from '../command/commands';
import { otherProductIdsOf, reserveForChange, reserveRedemption } from '../peer/discount';
import { heldRedemption, itemsAfter } from '../subscription/change-side';
import { currencyOf, mainItem, type Subscription } from '../subscription/subscription';
import type { SubscriptionChange } from '../subscription/subscription-change';

interface Work {
  readonly stored: Stored<Subscription>;
  readonly context: CallContext;
  readonly dependencies: Pick<CommandDependencies, 'peers' | 'changes'>;
}

/**
 * Holds the redemptions of the subscription and its changes, and confirms those in use, which
 * discount may have lost. Checkout reasserts the redemption of a session.
 */
export async function reassertRedemptions(work: Work): Promise<void> {
  await reassertUsed(work);
  const { waiting, paying } = work.stored.state.changes;
  for (const change of [waiting, paying]) {
    if (change !== null) await holdForChange(change, work);
  }
}

async function reassertUsed(work: Work): Promise<void> {
  const { stored, context, dependencies } = work;
  const { id, fingerprint, discount, endedBeforeStart } = stored.state;
  if (discount === null || endedBeforeStart) return;
  const isOwn = discount.holderId === null;
  if (isOwn && fingerprint === id) return;
  const { peers } = dependencies;
  const held = { discountId: discount.id, holderId: discount.holderId ?? id };
  const confirm = () => unlessNotFound(peers.discount.confirmRedemption(held, context));
  if ((await confirm()) !== undefined) return;
  if (isOwn) {
    await unlessRefused(reserveRedemption(peers, wantedOf(stored.state, discount.id), context));
  } else {
    const change = await findChangeOf(held.holderId, work);
    if (change !== undefined) await holdForChange(change, work);
  }
  await confirm();
}

function wantedOf(state: Subscription, discountId: string) {
  const bought = {
    productId: mainItem(state).productId,
    otherProductIds: otherProductIdsOf(state),
  };
  return { subscriptionId: state.id, discountId, currency: currencyOf(state), ...bought };
}

/** The change whose redemption has a holder. */
async function findChangeOf(
  holderId: string,
  { stored: { state }, context, dependencies: { changes } }: Work,
): Promise<SubscriptionChange | undefined> {
  const all = (await changes.listAll([state], context)).get(state.id) ?? [];
  return all.find(({ wanted }) => heldRedemption(wanted)?.holderId === holderId);
}

async function holdForChange(
  { id: changeId, wanted, reservedRound: round }: SubscriptionChange,
  { stored: { state }, context, dependencies: { peers } }: Work,
): Promise<void> {
  const held = heldRedemption(wanted);
  if (held === null || round === null) return;
  const [main, ...others] = itemsAfter(state, wanted);
  const bought = {
    productId: main.productId,
    otherProductIds: others.map(({ productId }) => productId),
    currency: currencyOf(state),
  };
  const change = { subscriptionId: state.id, changeId, round };
  await unlessRefused(reserveForChange(peers, { ...held, ...bought, change }, context));
}

// Others that have redeemed the discount since keep it, and one that has ended is not redeemed.
async function unlessRefused(reserved: Promise<unknown>): Promise<void> {
  try {
    await reserved;
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'invalid_input') throw error;
  }
}
