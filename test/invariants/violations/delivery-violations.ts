import type { DeliveryPicture, Picture } from '../picture/picture';
import { aDelivery, anEndpoint } from '../testing';

/** An endpoint without a receiver. */
const listed = (...deliveries: DeliveryPicture[]): Partial<Picture> => ({
  endpoints: [anEndpoint(undefined, deliveries)],
});

/** Violations by deliveries that a system must not show. */
export const deliveryViolations: [id: string, what: string, changes: Partial<Picture>][] = [
  ['I9', 'an event without a delivery', listed(aDelivery(1))],
  [
    'I9',
    'a delivery of another type',
    listed(aDelivery(1), aDelivery(2, { type: 'subscription.canceled' })),
  ],
  [
    'I9',
    'two deliveries of one event',
    listed(aDelivery(1), aDelivery(2), aDelivery(2, { id: 'delivery-3', messageId: 'message-9' })),
  ],
  [
    'I9',
    'a delivery of the message of another event',
    listed(aDelivery(1), aDelivery(2, { messageId: 'message-1' })),
  ],
  [
    'I9',
    'a delivered event that no attempt has delivered',
    listed(aDelivery(1), aDelivery(2, { attempts: [{ responseStatus: 500 }] })),
  ],
  [
    'I9',
    'an abandoned event without an attempt',
    listed(aDelivery(1), aDelivery(2, { status: 'FAILED', attempts: [] })),
  ],
];
