import type { Subscription } from '../subscription/subscription';
import { digestOf } from './preview-token';

/** Digest of the state of a subscription that changes depend on. */
export function subscriptionDigest(subscription: Subscription): string {
  const { items, status, phase, periodIndex, cancelAtPeriodEnd, changes } = subscription;
  const { anchor, cycles, resumeAt, discount } = subscription;
  const { waiting, paying, period } = changes;
  const held = items.map(({ id, price, quantity }) => [id, price.id, quantity]);
  const running = [status, phase, periodIndex, anchor, cycles, cancelAtPeriodEnd, resumeAt];
  const open = subscription.openInvoices.map(({ invoiceId }) => invoiceId);
  const putOff = changes.putOff.map(({ changeId, bill }) => [changeId, bill]);
  return digestOf([held, running, waiting?.id, paying?.id, period, discount, open, putOff]);
}
