import type { CallContext } from '@billing/chassis/call-context';
import { invalidInput } from '@billing/kernel/domain-error';
import { changeInstantProblems, resumeProblems } from '@billing/kernel/input/subscription';
import { optionalProblems, refuseProblems } from '@billing/kernel/input-problems';
import { type ChangeRequest, resolveAt } from '../lifecycle/check-change';
import { beginsCycle } from '../lifecycle/plan-change';
import type { Peers } from '../peer/peers';
import type { Subscription, SubscriptionItems } from '../subscription/subscription';
import { expectedAt } from '../subscription/change-at-renewal';
import { isMetered } from '../subscription/usage-stretch';
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
 * Reads the sets of meter prices of the first period of a cycle that a change begins now; absent:
 * it begins none, or no product has any. Refuses a new cycle without proration, and one that is not
 * collected now.
 */
export async function readCycle(
  subscription: Subscription,
  {
    wanted,
    input: { kind, at, proration, collect },
    items,
    at: instant,
  }: {
    readonly wanted: ChangeRequest['wanted'];
    readonly input: Pick<ChangeInput, 'kind' | 'at' | 'proration' | 'collect'>;
    /** The items after the change. */
    readonly items: SubscriptionItems;
    /** Instant of the change, if it takes effect now. */
    readonly at: Date;
  },
  context: CallContext,
  peers: Pick<Peers, 'meterPrices'>,
): Promise<Pick<ChangeRequest, 'sets'>> {
  const isNow = resolveAt(subscription, { kind, at, wanted }) === 'NOW';
  const isBegun = kind !== 'PAUSE' && beginsCycle(subscription, { kind, wanted, proration });
  if (!isNow || !isBegun) return {};
  if (proration === 'NONE') {
    throw invalidInput({ proration: ['The billing interval changes'] });
  }
  if (collect === 'NEXT_INVOICE') {
    throw invalidInput({ collect: ['A new cycle is collected now'] });
  }
  const sets = await Promise.all(
    items.map(async ({ productId }) => {
      const { set } = await peers.meterPrices.find({ productId, at: instant }, context);
      return { productId, set };
    }),
  );
  const [{ set } = { set: 0 }, ...others] = sets;
  const found = others.length === 0 ? { set } : { set, others };
  return isMetered(found) ? { sets: found } : {};
}
