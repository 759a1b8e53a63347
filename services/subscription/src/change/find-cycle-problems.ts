import type { CallContext } from '@billing/chassis/call-context';
import { invalidInput } from '@billing/kernel/domain-error';
import { changeInstantProblems, resumeProblems } from '@billing/kernel/input/subscription';
import { optionalProblems, refuseProblems } from '@billing/kernel/input-problems';
import { type ChangeRequest, resolveAt } from '../lifecycle/check-change';
import { beginsCycle } from '../lifecycle/plan-change';
import { fetchProduct } from '../peer/catalog';
import type { Peers } from '../peer/peers';
import type { Subscription, SubscriptionItems } from '../subscription/subscription';
import { expectedAt } from '../subscription/change-at-renewal';
import { hasMeters } from '../usage/usage-period';
import type { ChangeInput } from './read-wanted-change';

/** Refuses an instant of a change that is not ahead, or too far ahead. */
export function checkInstant({ notBefore }: Pick<ChangeInput, 'notBefore'>, now: Date): void {
  refuseProblems({ at: instantProblems(notBefore, now) });
}

/**
 * Refuses an instant of a change, and a planned end of its pause, that are out of bounds. `at` is
 * the instant of the preview that is honored, else now.
 */
export function checkInstants(
  subscription: Subscription,
  input: Pick<ChangeInput, 'kind' | 'at' | 'resumeAt' | 'notBefore'>,
  { at, now }: { readonly at: Date; readonly now: Date },
): void {
  refuseProblems({
    at: instantProblems(input.notBefore, at),
    resumeAt: plannedEndProblems(subscription, input, now),
  });
}

function instantProblems(notBefore: Date | undefined, now: Date): string[] {
  return optionalProblems(notBefore, (instant) => changeInstantProblems(instant, now));
}

// A planned end must be after the beginning of the pause.
function plannedEndProblems(
  subscription: Subscription,
  input: Pick<ChangeInput, 'kind' | 'at' | 'resumeAt' | 'notBefore'>,
  now: Date,
): string[] {
  const { kind, at, resumeAt } = input;
  if (resumeAt === null) return [];
  const waits = kind === 'PAUSE' && at !== 'NOW' && subscription.phase === 'REGULAR';
  const begin = waits ? expectedAt(subscription, input) : now;
  return resumeProblems(resumeAt, { begin, now });
}

/**
 * Refuses a pause, and a new cycle now, of a product whose usage the running period would have to
 * bill; and a new cycle without proration.
 */
export async function checkNewCycle(
  subscription: Subscription,
  {
    wanted,
    input: { kind, at, proration, collect },
    items,
  }: {
    readonly wanted: ChangeRequest['wanted'];
    readonly input: Pick<ChangeInput, 'kind' | 'at' | 'proration' | 'collect'>;
    /** The items after the change. */
    readonly items: SubscriptionItems;
  },
  context: CallContext,
  peers: Pick<Peers, 'products'>,
): Promise<void> {
  const isMetered = hasMeters(subscription);
  if (kind === 'PAUSE') {
    if (!isMetered) return;
    throw invalidInput({ kind: ['Pauses of products with metered prices are not supported'] });
  }
  const isNow = resolveAt(subscription, { kind, at, wanted }) === 'NOW';
  if (!isNow || !beginsCycle(subscription, { kind, wanted, proration })) return;
  if (proration === 'NONE') {
    throw invalidInput({ proration: ['The billing interval changes'] });
  }
  if (collect === 'NEXT_INVOICE') {
    throw invalidInput({ collect: ['A new cycle is collected now'] });
  }
  const products = await Promise.all(
    items.map(({ productId }) => fetchProduct(peers, productId, context)),
  );
  if (!isMetered && products.every(({ meterPriceSet }) => meterPriceSet === 0)) return;
  const field = kind === 'RESUME' ? 'kind' : proration === 'FULL_AND_RESET' ? 'proration' : 'at';
  const message = 'New cycles of products with metered prices are not supported';
  throw invalidInput({ [field]: [message] });
}
