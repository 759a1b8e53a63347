import type { DomainEvent } from '@billing/kernel/transition';
import { PaymentMethodEvent as ProtoPaymentMethodEvent } from '@billing/proto/billing/event/v1/payment_method_event';
import type { PaymentMethodEvent } from './announcement';

/** Encodes an event as its proto message in JSON mapping. */
export function encodeMethodEvent(event: DomainEvent): unknown {
  const { type, data } = event as PaymentMethodEvent;
  const { method, isDefault } = data;
  const { id, customerId, brand, last4, expiry, usedAt: createdAt } = method;
  const isUpdated = type === 'payment_method.updated';
  return ProtoPaymentMethodEvent.toJSON({
    customerId,
    paymentMethod: { id, brand, last4, expiry, isDefault, createdAt, subscriptionIds: [] },
    changes: isUpdated ? { isDefault: { from: false, to: true } } : {},
  });
}
