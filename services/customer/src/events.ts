import type { AggregateDefinition, Stored } from '@billing/chassis/aggregate';
import { announceChanges, type ResourceEvent } from '@billing/chassis/announced-changes';
import { CustomerEvent } from '@billing/proto/billing/event/v1/customer_event';
import { toJsonCustomer } from '@billing/proto/json/customer';
import type { DomainEvent } from '@billing/kernel/transition';
import type { Customer } from './customer';
import { toProtoCustomer } from './rpc';
import { customerDefinition } from './store';

/** Customers that announce their creation and changes. */
export const announcedCustomers: AggregateDefinition<Customer> = {
  ...customerDefinition,
  announce: announceChanges('customer', {
    toJson: (stored) => toJsonCustomer(toProtoCustomer(stored)),
  }),
  encodeEvent,
};

// The proto message in JSON mapping.
function encodeEvent(event: DomainEvent, stored: Stored<Customer>): unknown {
  const { changes } = (event as ResourceEvent).data;
  return CustomerEvent.toJSON({ customer: toProtoCustomer(stored), changes });
}
