import type { Clock } from '@billing/chassis/clock';
import { rpcService } from '@billing/chassis/rpc';
import { invalidInput } from '@billing/kernel/domain-error';
import {
  type ExpiringCard,
  type PaymentMethod as ProtoPaymentMethod,
  type PaymentMethodServiceServer,
  PaymentMethodServiceService,
} from '@billing/proto/billing/checkout/v1/payment_method';
import { paymentMethodCallers } from '../peer/callers';
import type { PaymentMethod } from './payment-method';
import type { ExpiringCardStore } from './expiring-card-store';
import type { OwnedMethod, PaymentMethodStore } from './store';
import { isChargedAutomatically } from '../peer/customer';
import type { Peers } from '../peer/peers';
import type { SubscriptionMethod } from './subscription-method';

export interface PaymentMethodRpcDependencies {
  readonly methods: PaymentMethodStore;
  readonly expiring: ExpiringCardStore;
  readonly peers: Pick<Peers, 'customer' | 'subscription'>;
  readonly clock: Clock;
}

/** RPCs of the payment methods that a customer sees and changes. */
export function paymentMethodRpc({
  methods,
  expiring,
  peers,
  clock,
}: PaymentMethodRpcDependencies) {
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
      listExpiringCards: async ({ until }, context) => {
        if (until === undefined) throw invalidInput({ until: ['Required'] });
        const { cards, isMore } = await expiring.list(until, context);
        return { cards: cards.map(toProtoExpiringCard), isMore };
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

function toProtoPaymentMethod(
  { id, brand, last4, expiry, isDefault, usedAt: createdAt }: OwnedMethod,
  given: readonly SubscriptionMethod[],
): ProtoPaymentMethod {
  const subscriptionIds = given
    .filter(({ methodId }) => methodId === id)
    .map((subscription) => subscription.id);
  return { id, brand, last4, expiry, isDefault, createdAt, subscriptionIds };
}

function toProtoExpiringCard(card: PaymentMethod): ExpiringCard {
  const { id: paymentMethodId, customerId, brand, last4, expiry } = card;
  return { paymentMethodId, customerId, brand, last4, expiry };
}
