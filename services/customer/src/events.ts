import type { AggregateDefinition, Stored } from '@billing/chassis/aggregate';
import { announceChanges, type ResourceEvent } from '@billing/chassis/announced-changes';
import { CustomerEvent } from '@billing/proto/billing/event/v1/customer_event';
import { toJsonCustomer } from '@billing/proto/json/customer';
import type { DomainEvent } from '@billing/kernel/transition';
import type { Customer } from './customer';
import { toProtoCustomer } from './rpc';
import { customerDefinition } from './store';

const announceCustomer = announceChanges<Customer>('customer', {
  toJson: (stored) => toJsonCustomer(toProtoCustomer(stored)),
});

/** Customers that announce their creation, changes and deletion. */
export const announcedCustomers: AggregateDefinition<Customer> = {
  ...customerDefinition,
  announce: (decided, change) => {
    if (change.after.state.erasure === null) return announceCustomer(decided, change);
    const deleted: ResourceEvent = { type: 'customer.deleted', data: { changes: {} } };
    return change.before?.state.erasure === null ? [deleted] : [];
  },
  encodeEvent,
};

// The proto message in JSON mapping.
function encodeEvent(event: DomainEvent, stored: Stored<Customer>): unknown {
  const { changes } = (event as ResourceEvent).data;
  const { id: customerId, erasure } = stored.state;
  if (erasure !== null) return CustomerEvent.toJSON({ customer: undefined, customerId, changes });
  return CustomerEvent.toJSON({
    customer: toProtoCustomer(stored),
    customerId: undefined,
    changes,
  });
}
