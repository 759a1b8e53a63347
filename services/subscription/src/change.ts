import { isSameData } from '@billing/kernel/equality';
import { refuseProblems } from '@billing/kernel/input-problems';
import { unchanged } from '@billing/kernel/transition';
import { type SubscriptionTransition, updated } from './announcement';
import type { Decision } from './billing';
import { decideAfterDueSteps } from './renewals';
import type { Subscription } from './subscription';

/** What a caller may change about a subscription directly; what is absent stays. */
export type SubscriptionChanges = Partial<Pick<Subscription, 'metadata'>>;

/** A change by a caller; metadata is checked alike by all services, outside their rules. */
export interface Change extends Decision {
  readonly metadataProblems: readonly string[];
}

/** Changes fields of a subscription, ended or not; what is the same already is neither written nor announced. */
export function changeFields(
  subscription: Subscription,
  changes: SubscriptionChanges,
  { metadataProblems, ...decision }: Change,
): SubscriptionTransition {
  refuseProblems({ metadata: metadataProblems });
  return decideAfterDueSteps(subscription, decision, (current) => {
    const { metadata = current.metadata } = changes;
    if (isSameData(current.metadata, metadata)) return unchanged(current);
    const state: Subscription = { ...current, metadata };
    return { state, events: [updated(current, state)], commands: [] };
  });
}
