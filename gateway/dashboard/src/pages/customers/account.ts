import type { CustomerAccount } from '@billing/gateway/operator/customer-routes';

type Plan = CustomerAccount['plans'][number];

/** The charge of a customer's subscriptions that comes first; undefined if there is none. */
export function nextCharge(plans: readonly Plan[]):
  | {
      readonly at: string;
      readonly total: number;
      readonly currency: string;
      readonly productName: string;
      readonly subscriptionId: string;
    }
  | undefined {
  const charges = plans.flatMap(({ subscription, productName, upcoming }) => {
    if (upcoming?.at === null || upcoming?.at === undefined) return [];
    const { id: subscriptionId, currency } = subscription;
    return [{ at: upcoming.at, total: upcoming.total, currency, productName, subscriptionId }];
  });
  return charges.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))[0];
}

/**
 * Signed amount of a balance adjustment: positive if the seller owes the customer more. An amount
 * that cannot be read stays as typed, so that the server reports it.
 */
export function adjustment(amount: number | string, direction: string): number | string {
  return typeof amount === 'number' && direction === 'TAKE' ? -amount : amount;
}
