import { DomainError } from '@billing/kernel/domain-error';
import type { Subscription } from '../subscription/subscription';
import type { SubscriptionChange } from '../subscription/subscription-change';
import {
  beginStretch,
  isBeforeStretch,
  isSameProducts,
  keepAllStretches,
  keepStretches,
} from '../subscription/usage-stretch';
import { mayHaveUsage } from '../usage/cycle-end-bill';
import { hasMeters } from '../usage/usage-period';
import type { ChangeRequest } from './check-change';

/**
 * The subscription with a stretch of usage that a change now begins, if it moves meters; in a pause
 * with the products of the periods so far. A change as of an instant that was previewed is refused
 * if another one has begun a stretch since.
 */
export function withStretch(
  subscription: Subscription,
  { id: changeId, kind, to, effectiveAt, beginsCycle, invoice }: SubscriptionChange,
  { movesMeters = false }: Pick<ChangeRequest, 'movesMeters'>,
): Subscription {
  const { phase, items } = subscription;
  const isMoved = !isSameProducts(items, to.items);
  if (phase === 'PAUSED' && kind === 'UPDATE' && isMoved && mayHaveUsage(subscription)) {
    return keepAllStretches(subscription);
  }
  const endsPeriod = beginsCycle || kind === 'PAUSE';
  if (phase !== 'REGULAR' || (!isMoved && !endsPeriod)) return subscription;
  // The sets of the running period may have become known since the change was checked.
  if (!movesMeters && !hasMeters(subscription)) return subscription;
  if (isBeforeStretch(subscription, effectiveAt)) {
    const message = 'Subscription was changed since';
    throw new DomainError('failed_precondition', 'CHANGED_SINCE', message);
  }
  // The change itself keeps the products of the period that it ends.
  if (endsPeriod) return subscription;
  const paidBy =
    invoice?.isPaidFirst === true ? { changeId, invoiceId: invoice.invoiceId } : undefined;
  return beginStretch(subscription, { at: effectiveAt, items: to.items, paidBy });
}

/**
 * The subscription with a change of products that waits. It keeps the products of the periods so
 * far at once: an earlier release may take the change, and would not keep them.
 */
export function withKeptProducts(
  subscription: Subscription,
  { to }: Pick<SubscriptionChange, 'to'>,
): Subscription {
  return isSameProducts(subscription.items, to.items) ? subscription : keepStretches(subscription);
}
