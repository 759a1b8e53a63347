import { paused } from '../subscription/change-at-renewal';
import { monthlyAmountOf, sideOf } from '../subscription/change-side';
import type { Subscription } from '../subscription/subscription';
import type { ChangePlan } from '../subscription/subscription-change';
import type { ChangeTerms } from './change-terms';
import { givenBack } from './plan-new-cycle';

/** Computes a pause that begins now: it charges nothing, and gives unused time back if asked to. */
export function planPause(subscription: Subscription, terms: ChangeTerms): ChangePlan {
  const state = paused(subscription, terms);
  const { creditNotes } = givenBack(subscription, terms, { charged: 0n });
  return {
    from: sideOf(subscription),
    to: sideOf(state),
    monthlyAmountBefore: monthlyAmountOf(subscription, subscription.items),
    monthlyAmountAfter: 0n,
    ...{ invoice: null, creditNotes, charges: [], beginsCycle: false },
  };
}
