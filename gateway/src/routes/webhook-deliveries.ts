import { z } from 'zod';
import { systemClock } from '@billing/chassis/clock';
import { toJsonWebhookDelivery, toJsonWebhookGap } from '@billing/proto/json/webhook-delivery';
import {
  WebhookDelivery,
  WebhookDeliveryList,
  WebhookGaps,
  WebhookReplay,
  WebhookTest,
} from '../openapi/schemas/webhook-delivery';
import { optional, pageShape, readBody, readQuery, time } from '../input';
import { page, pageQuery } from '../list';
import { RateLimit, tooManyRequests } from '../rate-limit';
import { type ApiAnswer, ok, param, present, type Route } from '../route';

// Real addresses whose ownership is not proven: a test must not become a flood.
const testsPerMinute = 10;
const testRate = new RateLimit({ perSecond: testsPerMinute / 60, burst: testsPerMinute });

/** Refuses an endpoint that was tested too often, in real time. */
function admitTest(endpoint: string): void {
  const allowance = testRate.take(endpoint, systemClock.now());
  if (!allowance.isAllowed) throw tooManyRequests(allowance);
}

const ListWebhookDeliveries = z.object(pageShape);

const ReplayWebhooks = z
  .object({
    since: time,
    all: optional(z.boolean()).meta({
      description: 'Sends what was delivered again, too. Default false.',
    }),
  })
  .meta({ id: 'ReplayWebhooks', examples: [{ since: '2026-03-31T00:00:00Z' }] });

const ListWebhookGaps = z.object({
  since: time
    .optional()
    .meta({ description: 'ISO 8601 with its zone, of real time. Default: all that is kept.' }),
});

export const webhookDeliveryRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/webhook-endpoints/:id/test',
    operation: {
      id: 'testWebhookEndpoint',
      summary: 'Send a test to a webhook endpoint',
      description:
        'Its body is `{id, type, timestamp, data: {webhookEndpointId}}`, its type `webhook_endpoint.test`. It is signed, repeated and listed as every webhook. At most 10 a minute for an endpoint, then 429. 409 for an endpoint that is not active.',
      answer: { status: 202, schema: WebhookTest },
      errors: ['webhook_endpoint_not_found', 'conflict'],
    },
    handle: async (request, peers) => {
      const id = param(request, 'id');
      admitTest(`${request.context.tenant.environmentId} ${id}`);
      const { deliveryId } = await peers.webhookDelivery.sendTestWebhook({ id }, request.context);
      return accepted({ deliveryId });
    },
  },
  {
    method: 'GET',
    path: '/webhook-endpoints/:id/deliveries',
    operation: {
      id: 'listWebhookDeliveries',
      summary: 'List what a webhook endpoint was sent, newest first',
      description: 'Of the last 30 days, in real time.',
      query: ListWebhookDeliveries,
      answer: { status: 200, schema: WebhookDeliveryList },
      errors: ['webhook_endpoint_not_found'],
    },
    handle: async (request, peers) => {
      const query = readQuery(ListWebhookDeliveries, request);
      const { deliveries, total } = await peers.webhookDelivery.listWebhookDeliveries(
        { endpointId: param(request, 'id'), ...pageQuery(query) },
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
      summary: 'Send a webhook again now',
      description:
        'The same bytes under the same id, however the delivery stands. One that is finished goes by itself: nothing waits for it. One that still waits goes in its turn, with all of its subscription that waits. 409 for an endpoint that is not active.',
      answer: { status: 202, schema: WebhookDelivery },
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
      summary: 'Send past webhooks to an endpoint again',
      description:
        'Every webhook since a real time that the endpoint subscribes to and has not accepted, including those that occurred while it was inactive; with `all` also those that it has accepted. The lowest sequence of each subscription goes first. Kept for 30 days. 409 for an endpoint that is not active.',
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
      summary: 'List the webhooks that an endpoint has not accepted',
      description:
        'Every sequence since a real time that the endpoint subscribes to and has not accepted: being delivered, given up, or not yet queued. An empty list proves that nothing is missing; 503 when this cannot be determined at the moment.',
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

/** 202: what is asked for is stored, and done in a moment. */
function accepted(body: unknown): ApiAnswer {
  return { status: 202, body };
}
