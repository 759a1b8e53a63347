import { z } from 'zod';
import type { PaymentMethod } from '@billing/proto/billing/checkout/v1/payment_method';
import { readQuery } from '../api/input/input';
import { ok, present } from '../http/answer';
import type { EnvironmentRoute } from './route/route';

const ListPaymentMethods = z.object({ customerId: z.string() });

/**
 * Payment methods of customers, which the public API does not expose: customers manage them in the
 * portal.
 */
export const paymentMethodRoutes: readonly EnvironmentRoute[] = [
  {
    method: 'GET',
    path: '/payment-methods',
    isOfEnvironment: true,
    handle: async ({ query, context }, { peers }) => {
      const wanted = readQuery(ListPaymentMethods, { query });
      const { paymentMethods } = await peers.paymentMethod.listPaymentMethods(wanted, context);
      return ok({ data: paymentMethods.map(toJsonPaymentMethod) });
    },
  },
];

/** Public facts of a saved card. */
export function toJsonPaymentMethod(method: PaymentMethod) {
  const { id, brand, last4, expiry = null, isDefault, subscriptionIds, createdAt } = method;
  return {
    ...{ id, brand, last4, expiry, isDefault, subscriptionIds },
    createdAt: present(createdAt).toISOString(),
  };
}
