import { z } from 'zod';
import {
  WebhookDeliveryJson,
  toJsonWebhookDelivery,
  toJsonWebhookGap,
} from '@billing/proto/json/webhook/webhook-delivery';
import { WebhookGaps, WebhookReplay, WebhookTest } from '../../schemas/webhook-delivery';
import { listOf } from '../../schemas/list';
import { optional, listShape, readBody, readQuery, time } from '../../input/input';
import { listQuery, page } from '../../input/list';
import { type ApiAnswer, ok, present } from '../../../http/answer';
import { param } from '../../input/request';
import type { Route } from '../route';

const ListWebhookDeliveries = z.object(listShape);

const ReplayWebhooks = z
  .object({
    since: time,
    all: optional(z.boolean()).meta({
      description: 'Also resends accepted webhooks. Defaults to false.',
    }),
  })
  .meta({ id: 'ReplayWebhooks', examples: [{ since: '2026-03-31T00:00:00Z' }] });

const ListWebhookGaps = z.object({
  since: time.optional().meta({
    description:
      'ISO 8601 with a UTC offset, in real time. Defaults to the whole retention period.',
  }),
});

export const webhookDeliveryRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/webhook-endpoints/:id/test',
    operation: {
      id: 'testWebhookEndpoint',
      summary: 'Send a test webhook to an endpoint',
      description:
        'The body is `{id, type, timestamp, webhookEndpointId, data: {webhookEndpointId}}` with the type `webhook_endpoint.test`. The test is signed, retried and listed like any other webhook. Returns 429 after 10 tests per endpoint and minute, retries included, and 409 for an inactive endpoint.',
      answer: { status: 202, schema: WebhookTest },
      errors: ['webhook_endpoint_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const id = param(request, 'id');
      const { deliveryId } = await peers.webhookDelivery.sendTestWebhook({ id }, request.context);
      return accepted({ deliveryId });
    },
  },
  {
    method: 'GET',
    path: '/webhook-endpoints/:id/deliveries',
    operation: {
      id: 'listWebhookDeliveries',
      summary: 'List the deliveries of a webhook endpoint, newest first',
      description: 'Covers the last 30 days, in real time.',
      query: ListWebhookDeliveries,
      answer: { status: 200, schema: listOf(WebhookDeliveryJson, 'WebhookDeliveryList') },
      errors: ['webhook_endpoint_not_found'],
    },
    handle: async (request, peers) => {
      const query = readQuery(ListWebhookDeliveries, request);
      const { deliveries, total } = await peers.webhookDelivery.listWebhookDeliveries(
        { endpointId: param(request, 'id'), ...listQuery(query) },
        request.context,
      );
      return page(deliveries, { ...query, total }, toJsonWebhookDelivery);
    },
  },
  {
    method: 'POST',
    path: '/webhook-endpoints/:id/deliveries/:deliveryId/retry',
    operation: {
      id: 'retryWebhookDelivery',
      summary: 'Retry a webhook delivery',
      description:
        'Resends the same bytes with the same id, in any state of the delivery. A finished delivery is resent immediately. A pending delivery keeps its position in the queue of its subscription. All pending deliveries of that subscription are sent now, in order. The retry of a test counts as a test. Returns 409 for an inactive endpoint.',
      answer: { status: 202, schema: WebhookDeliveryJson },
      errors: ['webhook_endpoint_not_found', 'webhook_delivery_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const { delivery } = await peers.webhookDelivery.retryWebhookDelivery(
        { endpointId: param(request, 'id'), id: param(request, 'deliveryId') },
        request.context,
      );
      return accepted(toJsonWebhookDelivery(present(delivery)));
    },
  },
  {
    method: 'POST',
    path: '/webhook-endpoints/:id/replay',
    operation: {
      id: 'replayWebhooks',
      summary: 'Replay past webhooks to an endpoint',
      description:
        'Sends every webhook since the given real time that the endpoint subscribes to and has not accepted, including those from its inactive periods. With `all`, also resends accepted ones. Webhooks of a subscription are sent in the order of their sequence. They are retained for 30 days. Returns 409 for an inactive endpoint.',
      body: ReplayWebhooks,
      answer: { status: 202, schema: WebhookReplay },
      errors: ['webhook_endpoint_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const { since, all = false } = readBody(ReplayWebhooks, request);
      const { count } = await peers.webhookDelivery.replayWebhooks(
        { endpointId: param(request, 'id'), since, all },
        request.context,
      );
      return accepted({ count });
    },
  },
  {
    method: 'GET',
    path: '/webhook-endpoints/:id/gaps',
    operation: {
      id: 'listWebhookGaps',
      summary: 'List undelivered webhooks of an endpoint',
      description:
        'Lists the sequence numbers since the given real time that the endpoint subscribes to and has not accepted: in delivery, failed, or not yet queued. An empty list proves that nothing is missing. Returns 503 if this cannot be determined at the moment.',
      query: ListWebhookGaps,
      answer: { status: 200, schema: WebhookGaps },
      errors: ['webhook_endpoint_not_found'],
    },
    handle: async (request, peers) => {
      const { since } = readQuery(ListWebhookGaps, request);
      const { gaps } = await peers.webhookDelivery.listWebhookGaps(
        { endpointId: param(request, 'id'), since },
        request.context,
      );
      return ok(gaps.map(toJsonWebhookGap));
    },
  },
];

/** 202: the request is stored and will be executed shortly. */
function accepted(body: unknown): ApiAnswer {
  return { status: 202, body };
}
