import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { currentTraceparent } from '@billing/chassis/tracing';
import { toJsonWebhookBody } from '@billing/proto/json/webhook/webhook';
import type { Delivery } from '../delivery/delivery';
import { deliveryId, type DeliveryStore } from '../delivery/delivery-store';
import type { EndpointKey } from '../endpoint/endpoint';
import type { TestLimitStore } from '../endpoint/test-limit-store';
import type { Message, MessageStore } from './message-store';

export interface TestWebhookSenderDependencies {
  readonly messages: MessageStore;
  readonly deliveries: DeliveryStore;
  readonly testLimits: TestLimitStore;
  readonly clock: Clock;
}

/** The type of a webhook that only proves that webhooks arrive. */
const testType = 'webhook_endpoint.test';

/** Creates test webhooks, which are sent like all others. */
export class TestWebhookSender {
  constructor(private readonly dependencies: TestWebhookSenderDependencies) {}

  /**
   * Creates a test webhook, once per call however often the call is retried, and returns its
   * delivery's id. Throws resource_exhausted beyond the limit of the endpoint.
   */
  async send(
    endpoint: EndpointKey,
    context: Pick<CallContext, 'resourceSeed' | 'now' | 'storing'>,
  ): Promise<string> {
    const { messages, deliveries, testLimits, clock } = this.dependencies;
    const { environmentId, endpointId } = endpoint;
    const messageId = newResourceId(context, 'testMessage');
    const acceptedAt = clock.now();
    // A test webhook belongs to no subscription and has no number; with an id of its own it waits
    // for no other.
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
    // Unlike for events, the message comes first: no retry may follow, and a delivery without its
    // message would wait forever.
    await testLimits.count(endpoint, messageId, { now: acceptedAt, storing: context.storing });
    context.storing?.pass();
    await messages.insert([message]);
    await deliveries.insert([delivery]);
    return delivery._id;
  }
}

function toBody({ id, endpointId, at }: { id: string; endpointId: string; at: Date }): string {
  const data = { webhookEndpointId: endpointId };
  const head = { id, type: testType, timestamp: at.toISOString() };
  return JSON.stringify(toJsonWebhookBody(head, data));
}
