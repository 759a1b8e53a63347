import { type ChangeDocument, fromDocumentChange, toDocumentChange } from './change-document';
import { endsWaitingItems } from '../subscription/change-side';
import { nextChange, type Subscription } from '../subscription/subscription';
import type { SubscriptionChange } from '../subscription/subscription-change';

/**
 * A change that waits for an instant after the end of the running period. Release 0.1.0 would apply
 * each change in `changes.waiting` at the end of that period, and leaves fields that it does not
 * know as they are. So such a change is stored in a field of its own, and moves to
 * `changes.waiting` with the write that enters the last period before it.
 */
export interface ScheduledChangeDocument {
  /** Null, or absent in documents of earlier releases: none. */
  readonly scheduledChange?: ChangeDocument | null;
}

/** Separates the change that waits for a later period from the others. */
export function toDocumentScheduled(subscription: Subscription): {
  readonly changes: Subscription['changes'];
  readonly stored: Required<ScheduledChangeDocument>;
} {
  const { changes } = subscription;
  const { waiting } = changes;
  // A field that a write omits would keep its value.
  if (waiting === null || nextChange(subscription) !== null) {
    return { changes, stored: { scheduledChange: null } };
  }
  return {
    changes: { ...changes, waiting: null },
    stored: { scheduledChange: toDocumentChange(waiting) },
  };
}

/**
 * Adds the change that waits for a later period to the others. Release 0.1.0 may have changed the
 * subscription without it: its waiting change, a pause and the end take its place, as do other
 * products, and a price with another interval than the items that it would keep.
 */
export function withScheduled(
  subscription: Subscription,
  { scheduledChange = null }: ScheduledChangeDocument,
): Subscription {
  if (scheduledChange === null) return subscription;
  const scheduled = fromDocumentChange(scheduledChange);
  const { changes } = subscription;
  const ended = endOf(subscription, scheduled);
  if (ended === null) return { ...subscription, changes: { ...changes, waiting: scheduled } };
  const canceled: SubscriptionChange = { ...scheduled, ...ended, status: 'CANCELED' };
  return { ...subscription, changes: { ...changes, finished: [...changes.finished, canceled] } };
}

/** What has ended a scheduled change, and when; null: it waits. */
function endOf(
  { changes: { waiting }, phase, pausedAt, endedAt, items }: Subscription,
  { kind, from, wanted, updatedAt }: SubscriptionChange,
): Pick<SubscriptionChange, 'replacedBy' | 'updatedAt'> | null {
  if (waiting !== null) return { replacedBy: waiting.id, updatedAt: waiting.createdAt };
  if (phase === 'ENDED') return { replacedBy: null, updatedAt: endedAt ?? updatedAt };
  if (phase === 'PAUSED') return { replacedBy: null, updatedAt: pausedAt ?? updatedAt };
  // This release cancels it with the change of the products.
  const isEnded = kind === 'UPDATE' && endsWaitingItems({ from: from.items, to: items }, wanted);
  return isEnded ? { replacedBy: null, updatedAt } : null;
}
