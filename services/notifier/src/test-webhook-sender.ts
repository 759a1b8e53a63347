import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { newResourceId } from '@billing/chassis/call-context';
import { currentTraceparent } from '@billing/chassis/tracing';
import { type Delivery, deliveryId, type DeliveryStore } from './delivery-store';
import type { EndpointKey } from './endpoint-store';
import type { Message, MessageStore } from './message-store';

/** What tests are made with. */
export interface TestWebhookSenderOptions {
  readonly messages: MessageStore;
  readonly deliveries: DeliveryStore;
  readonly clock: Clock;
}

/** The type of a webhook that only shows that webhooks arrive. */
export const testType = 'webhook_endpoint.test';

/** Makes webhooks that are about nothing but their endpoint. They go the way of all. */
export class TestWebhookSender {
  constructor(private readonly options: TestWebhookSenderOptions) {}

  /** Makes one, once for a call however often it is repeated, and returns its delivery's id. */
  async send(
    { environmentId, endpointId }: EndpointKey,
    context: Pick<CallContext, 'resourceSeed' | 'now' | 'storing'>,
  ): Promise<string> {
    const { messages, deliveries, clock } = this.options;
    const messageId = newResourceId(context, 'testMessage');
    const acceptedAt = clock.now();
    // It belongs to no subscription and has no number; by an id of its own it waits for none.
    const key = { environmentId, subscriptionId: messageId, sequence: 0 };
    const delivery: Delivery = {
      _id: deliveryId(environmentId, messageId, endpointId),
      ...key,
      endpointId,
      messageId,
      previousId: null,
      status: 'PENDING',
      dueAt: acceptedAt,
      claim: null,
      failures: 0,
      createdAt: acceptedAt,
    };
    const message: Message = {
      _id: messageId,
      ...key,
      type: testType,
      body: toBody({ id: messageId, endpointId, at: context.now }),
      endpointIds: [endpointId],
      lastDeliveryIds: {},
      traceparent: currentTraceparent() ?? null,
      acceptedAt,
    };
    // In this order, unlike those of events: nobody may ever repeat it, and a delivery without its message would wait for ever.
    context.storing?.pass();
    await messages.insert([message]);
    await deliveries.insert([delivery]);
    return delivery._id;
  }
}

function toBody({ id, endpointId, at }: { id: string; endpointId: string; at: Date }): string {
  const data = { webhookEndpointId: endpointId };
  return JSON.stringify({ id, type: testType, timestamp: at.toISOString(), data });
}
