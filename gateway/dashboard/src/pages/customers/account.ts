import type { CustomerAccount } from '@billing/gateway/operator/customer-routes';
import { countText } from '../../parts/text/text';
import { displayedStatus } from '../../resources/subscription';

type Plan = CustomerAccount['plans'][number];
type Account = CustomerAccount['accounts'][number];

/** A planned charge: of the next period of a subscription, or of an open invoice. */
export interface PlannedCharge {
  readonly at: string;
  readonly total: number;
  readonly currency: string;
  /** The product, or the number of the invoice. */
  readonly what: string;
  readonly href: string;
}

/**
 * The charge of a customer's subscriptions and open invoices that comes first; undefined if there
 * is none.
 */
export function nextCharge({
  plans,
  accounts,
}: {
  readonly plans: readonly Plan[];
  readonly accounts: readonly Pick<Account, 'currency' | 'nextCharge'>[];
}): PlannedCharge | undefined {
  const renewals = plans.flatMap(({ subscription, productName, upcoming }) => {
    if (upcoming?.at === null || upcoming?.at === undefined) return [];
    const { id, currency } = subscription;
    const about = { what: productName, href: `/subscriptions/${id}` };
    return [{ at: upcoming.at, total: upcoming.total, currency, ...about }];
  });
  const retries = accounts.flatMap(({ currency, nextCharge: planned }) => {
    if (planned === null) return [];
    const { at, amount: total, invoiceId, number } = planned;
    const about = { what: number ?? 'Open invoice', href: `/invoices/${invoiceId}` };
    return [{ at, total, currency, ...about }];
  });
  return [...renewals, ...retries].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))[0];
}

const countedStates = [
  ['ACTIVE', 'active'],
  ['ON_TRIAL', 'on trial'],
  ['PAST_DUE', 'past due'],
  ['PAUSED', 'paused'],
  ['SCHEDULED', 'scheduled'],
] as const;

/** Subscriptions that have not ended, by state: “2 active, 1 past due”. */
export function subscriptionCounts(plans: readonly Plan[]): string {
  const states = plans.map(({ subscription }) => displayedStatus(subscription));
  const counts = countedStates
    .map(([state, text]) => [states.filter((one) => one === state).length, text] as const)
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${countText(count)} ${text}`);
  return counts.length === 0 ? 'No running subscription' : counts.join(', ');
}

/** Names of the products of subscriptions that have not ended, each once: “Pro, Storage”. */
export function planNames(plans: readonly Plan[]): string {
  const running = plans.filter(({ subscription }) => subscription.status !== 'CANCELED');
  return [...new Set(running.map(({ productName }) => productName))].join(', ');
}

/**
 * Signed amount of a balance adjustment: positive if the seller owes the customer more. An amount
 * that cannot be read stays as typed, so that the server reports it.
 */
export function adjustment(amount: number | string, direction: string): number | string {
  return typeof amount === 'number' && direction === 'TAKE' ? -amount : amount;
}
