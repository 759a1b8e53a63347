import { useRefusal } from '../api/environment';
import type { BulkAction, BulkActions } from '../parts/table/bulk-actions';
import { customerName } from './customer';
import type { Subscription } from './subscription';

/** Cancellation of several subscriptions. */
export function useSubscriptionBulk(): BulkActions<Subscription> {
  const refusal = useRefusal('subscriptions');
  const common = { tone: 'danger', refusal } as const;
  const request = ({ id }: Subscription, atPeriodEnd: boolean) => ({
    method: 'POST' as const,
    path: `/v1/subscriptions/${id}/cancel`,
    body: { atPeriodEnd },
  });
  const atPeriodEnd: BulkAction<Subscription> = {
    ...common,
    label: 'Cancel at period end',
    consequence:
      'Each customer keeps access until the end of the current period. Until then it can be undone.',
    refusalOf: ({ status, cancelAtPeriodEnd }) =>
      endedRefusal(status) ??
      (cancelAtPeriodEnd ? 'Already set to cancel at period end.' : undefined),
    request: (subscription) => request(subscription, true),
    outcomeOf: () => ({ isDone: true, text: 'Cancels at period end.' }),
  };
  const now: BulkAction<Subscription> = {
    ...common,
    label: 'Cancel now',
    consequence:
      'Access ends immediately. Usage so far is invoiced, and an unpaid invoice of the current period is voided. This can’t be undone.',
    refusalOf: ({ status }) => endedRefusal(status),
    request: (subscription) => request(subscription, false),
    outcomeOf: () => ({ isDone: true, text: 'Canceled.' }),
  };
  return { noun: 'subscription', nameOf: nameOfRow, actions: [atPeriodEnd, now] };
}

// Customers may have several subscriptions, so the name has a part of the id.
function nameOfRow({ id, customer }: Subscription): string {
  const short = id.slice(-6);
  return customer === null ? short : `${customerName(customer)} (${short})`;
}

function endedRefusal(status: Subscription['status']): string | undefined {
  return status === 'CANCELED' ? 'The subscription has ended.' : undefined;
}
