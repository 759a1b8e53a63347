import type { AggregateDefinition, Stored } from '@billing/chassis/aggregate';
import { announceChanges, type ResourceEvent } from '@billing/chassis/announced-changes';
import { DiscountEvent } from '@billing/proto/billing/event/v1/discount_event';
import { toJsonDiscount } from '@billing/proto/json/discount';
import type { DomainEvent } from '@billing/kernel/transition';
import type { Discount } from './discount';
import { toProtoDiscount } from './discount-message';
import { discountDefinition } from './store';

/** Further data of an event: the number of redemptions, which no discount holds itself. */
interface CountedEvent extends ResourceEvent {
  readonly data: ResourceEvent['data'] & { readonly redemptionCount?: number };
}

/** Discounts that announce their creation and changes. */
export const announcedDiscounts: AggregateDefinition<Discount> = {
  ...discountDefinition,
  announce: announceChanges('discount', {
    toJson: (stored) => toJsonDiscount(toProtoDiscount(stored, 0)),
  }),
  encodeEvent,
};

// The proto message in JSON mapping.
function encodeEvent(event: DomainEvent, stored: Stored<Discount>): unknown {
  const { changes, redemptionCount = 0 } = (event as CountedEvent).data;
  return DiscountEvent.toJSON({ discount: toProtoDiscount(stored, redemptionCount), changes });
}
