import type { toJsonSubscription } from '@billing/proto/json/subscription';

export type Subscription = ReturnType<typeof toJsonSubscription>;

/**
 * Displayed status of a subscription: more specific than ACTIVE for a trial, a pause or a future
 * start.
 */
export function displayedStatus({
  status,
  phase,
}: Pick<Subscription, 'status' | 'phase'>):
  'SCHEDULED' | 'ON_TRIAL' | 'ACTIVE' | 'PAUSED' | 'PAST_DUE' | 'CANCELED' {
  if (status === 'CANCELED' || status === 'PAST_DUE') return status;
  if (phase === 'SCHEDULED' || phase === 'PAUSED') return phase;
  return phase === 'TRIAL' ? 'ON_TRIAL' : 'ACTIVE';
}

/** Next step of a subscription with its time; undefined if there is none. */
export function nextStep(
  subscription: Pick<
    Subscription,
    'status' | 'phase' | 'cancelAtPeriodEnd' | 'currentPeriodEnd' | 'nextInvoiceAt' | 'startAt'
  >,
): { readonly what: string; readonly at: string } | undefined {
  const { phase, cancelAtPeriodEnd, currentPeriodEnd, nextInvoiceAt, startAt } = subscription;
  if (subscription.status === 'CANCELED') return undefined;
  if (cancelAtPeriodEnd) return { what: 'Ends', at: currentPeriodEnd };
  if (phase === 'SCHEDULED') return { what: 'Starts', at: startAt };
  if (nextInvoiceAt === null) return undefined;
  if (phase === 'PAUSED') return { what: 'Resumes', at: nextInvoiceAt };
  return { what: phase === 'TRIAL' ? 'Trial ends' : 'Renews', at: nextInvoiceAt };
}

/** Body of a cancellation. */
export interface WantedEnd {
  readonly atPeriodEnd: boolean;
  readonly proration?: 'PRORATE';
}

/**
 * Cancellation that a form asks for. A subscription that has not started or is paused ends
 * immediately either way. If it starts before the request arrives, the cancellation at period end
 * is the one that can be undone.
 */
export function cancellationOf(
  subscription: Pick<Subscription, 'phase'>,
  when?: string,
): WantedEnd {
  const isCredited = !endsAnyway(subscription) && when === 'credit';
  const atPeriodEnd = endsAnyway(subscription) || when === 'end';
  return { atPeriodEnd, ...(isCredited && { proration: 'PRORATE' }) };
}

/** True if every cancellation takes effect immediately. */
export function endsAnyway({ phase }: Pick<Subscription, 'phase'>): boolean {
  return phase === 'SCHEDULED' || phase === 'PAUSED';
}

/** Choice of the form that a cancellation comes from. */
export function whenOf({ atPeriodEnd, proration }: WantedEnd): string {
  if (atPeriodEnd) return 'end';
  return proration === 'PRORATE' ? 'credit' : 'now';
}
