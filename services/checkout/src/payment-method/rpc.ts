import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { rpcService } from '@billing/chassis/rpc';
import {
  type PaymentMethod as ProtoPaymentMethod,
  type PaymentMethodServiceServer,
  PaymentMethodServiceService,
} from '@billing/proto/billing/checkout/v1/payment_method';
import { CollectionMethod } from '@billing/proto/billing/customer/v1/customer';
import { SubscriptionStatus } from '@billing/proto/billing/subscription/v1/subscription';
import { paymentMethodCallers } from '../callers';
import type { OwnedMethod, PaymentMethodStore } from './store';
import type { Peers } from '../peers';
import type { SubscriptionMethod } from './subscription-method';

export interface PaymentMethodRpcDependencies {
  readonly methods: PaymentMethodStore;
  readonly peers: Pick<Peers, 'customer' | 'subscription'>;
  readonly clock: Clock;
}

const running = [
  SubscriptionStatus.SUBSCRIPTION_STATUS_ACTIVE,
  SubscriptionStatus.SUBSCRIPTION_STATUS_PAST_DUE,
];

/** RPCs of the payment methods that a customer sees and changes. */
export function paymentMethodRpc({ methods, peers, clock }: PaymentMethodRpcDependencies) {
  return rpcService<PaymentMethodServiceServer>(
    PaymentMethodServiceService,
    {
      listPaymentMethods: async ({ customerId }, context) => {
        const [owned, given] = await Promise.all([
          methods.listOf(customerId, context),
          methods.subscriptions.listOf(customerId, context),
        ]);
        return { paymentMethods: owned.map((method) => toProtoPaymentMethod(method, given)) };
      },
      keepPaymentMethod: async ({ customerId, paymentMethodId: methodId, asDefault }, context) => {
        const use = { customerId, methodId, usedAt: context.now, savedAt: clock.now() };
        await methods.keep(use, { asDefault }, context);
        return {};
      },
      removePaymentMethod: async ({ customerId, paymentMethodId: methodId }, context) => {
        const isCharged = await isChargedAutomatically(customerId, context, peers);
        await methods.remove({ customerId, methodId }, { isCharged }, context);
        return {};
      },
    },
    { callers: paymentMethodCallers },
  );
}

/** True if the customer has future invoices that are charged automatically. */
async function isChargedAutomatically(
  customerId: string,
  context: CallContext,
  peers: PaymentMethodRpcDependencies['peers'],
): Promise<boolean> {
  const { customer } = await peers.customer.getCustomer({ id: customerId }, context);
  if (customer?.collectionMethod === CollectionMethod.COLLECTION_METHOD_SEND_INVOICE) return false;
  const wanted = { customerId, page: 1, perPage: 1 };
  const lists = await Promise.all(
    running.map((status) => peers.subscription.listSubscriptions({ ...wanted, status }, context)),
  );
  return lists.some(({ total }) => total > 0);
}

function toProtoPaymentMethod(
  { id, brand, last4, isDefault, usedAt: createdAt }: OwnedMethod,
  given: readonly SubscriptionMethod[],
): ProtoPaymentMethod {
  const subscriptionIds = given
    .filter(({ methodId }) => methodId === id)
    .map((subscription) => subscription.id);
  return { id, brand, last4, isDefault, createdAt, subscriptionIds };
}
