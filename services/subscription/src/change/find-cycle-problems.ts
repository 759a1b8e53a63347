import type { CallContext } from '@billing/chassis/call-context';
import { addMonths } from '@billing/kernel/billing-period';
import { invalidInput } from '@billing/kernel/domain-error';
import { type ChangeRequest, resolveAt } from '../lifecycle/check-change';
import { beginsCycle } from '../lifecycle/plan-change';
import { fetchProduct } from '../peer/catalog';
import type { Peers } from '../peer/peers';
import type { Subscription, SubscriptionItems } from '../subscription/subscription';
import { expectedAt } from '../subscription/change-at-renewal';
import { hasMeters } from '../usage/usage-period';
import type { ChangeInput } from './read-wanted-change';

const aheadMonthsMax = 60;

/** Refuses an instant of a change that is not ahead, or too far ahead. */
export function checkInstant({ notBefore }: Pick<ChangeInput, 'notBefore'>, now: Date): void {
  if (notBefore === undefined || isAhead(notBefore, now)) return;
  throw invalidInput({ at: ['Must be ahead, at most five years'] });
}

function isAhead(instant: Date, now: Date): boolean {
  return instant > now && instant <= addMonths(now, aheadMonthsMax);
}

/** Refuses a planned end of a pause that is not after its beginning, or too far ahead. */
export function checkResumeAt(
  subscription: Subscription,
  input: Pick<ChangeInput, 'kind' | 'at' | 'resumeAt' | 'notBefore'>,
  now: Date,
): void {
  const { kind, at, resumeAt } = input;
  if (resumeAt === null) return;
  const waits = kind === 'PAUSE' && at !== 'NOW' && subscription.phase === 'REGULAR';
  const begin = waits ? expectedAt(subscription, input) : now;
  if (resumeAt > begin && isAhead(resumeAt, now)) return;
  throw invalidInput({ resumeAt: ['Must be after the pause begins, at most five years'] });
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
