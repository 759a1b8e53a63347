import type { toJsonSubscription } from '@billing/proto/json/subscription';

export type Subscription = ReturnType<typeof toJsonSubscription>;

/** Where a subscription stands, for readers: a trial and a start that is ahead say more than ACTIVE. */
export function standingOf({
  status,
  phase,
}: Pick<Subscription, 'status' | 'phase'>):
  'SCHEDULED' | 'TRIALING' | 'ACTIVE' | 'PAST_DUE' | 'CANCELED' {
  if (status === 'CANCELED' || status === 'PAST_DUE') return status;
  if (phase === 'SCHEDULED') return 'SCHEDULED';
  return phase === 'TRIAL' ? 'TRIALING' : 'ACTIVE';
}

/** What comes next, in words and with its time; undefined: nothing. */
export function nextStep(
  subscription: Pick<
    Subscription,
    'status' | 'phase' | 'cancelAtPeriodEnd' | 'currentPeriodEnd' | 'nextInvoiceAt' | 'startAt'
  >,
): { readonly what: string; readonly at: string } | undefined {
  const { phase, cancelAtPeriodEnd, currentPeriodEnd, nextInvoiceAt, startAt } = subscription;
  if (subscription.status === 'CANCELED') return undefined;
  if (cancelAtPeriodEnd) return { what: 'Ends', at: currentPeriodEnd };
  if (phase === 'SCHEDULED') return { what: 'Begins', at: startAt };
  if (nextInvoiceAt === null) return undefined;
  return { what: phase === 'TRIAL' ? 'Trial ends' : 'Renews', at: nextInvoiceAt };
}

/**
 * Body of a cancellation. A subscription that has not started ends at once either way. If it starts before the request arrives, the end
 * of its first period is the one that can be undone.
 */
export function cancellationOf(
  { phase }: Pick<Subscription, 'phase'>,
  when?: string,
): { readonly atPeriodEnd: boolean } {
  return { atPeriodEnd: phase === 'SCHEDULED' || when === 'end' };
}
