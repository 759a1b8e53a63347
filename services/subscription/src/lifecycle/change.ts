import { isSameData } from '@billing/kernel/equality';
import { refuseProblems } from '@billing/kernel/input-problems';
import { unchanged } from '@billing/kernel/transition';
import { updated } from '../subscription/announcement';
import { decideAfterDueSteps } from './due-steps';
import type { Subscription } from '../subscription/subscription';
import type { Decision, SubscriptionTransition } from '../subscription/transition';

/** The fields of a subscription that a caller may change directly; absent fields stay. */
export type SubscriptionChanges = Partial<Pick<Subscription, 'metadata'>>;

/**
 * A change by a caller. Metadata is validated the same way by all services, outside their rules.
 */
export interface Change extends Decision {
  readonly metadataProblems: readonly string[];
}

/**
 * Changes fields of a subscription, ended or not; an unchanged field is neither written nor
 * announced.
 */
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
