import { z } from 'zod';
import { WebhookEventJson, toWebhookEventText } from '@billing/proto/json/webhook/webhook-event';
import { type ApiAnswer, ok, present } from '../../../http/answer';
import { param } from '../../input/request';
import { readQuery, wholeNumber } from '../../input/input';
import { WebhookEventPage } from '../../schemas/webhook-event';
import type { Route } from '../route';

const waitSecondsMax = 20;
// A call that waits ends with its wait.
const deadlineMs = (waitSecondsMax + 10) * 1_000;

const ListWebhookEvents = z.object({
  after: z.string().optional().meta({
    description:
      'The `nextAfter` of an earlier response, or `0` for the first event. Defaults to the oldest kept event.',
  }),
  limit: wholeNumber(1, 1_000).default(100).meta({ description: 'Defaults to 100.' }),
  types: z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .optional()
    .meta({
      description: 'Event types and `<resource>.*`, separated by commas. Defaults to all types.',
      override: { type: 'string' },
    }),
  wait: wholeNumber(0, waitSecondsMax).default(0).meta({
    description:
      'Seconds to wait for the first event if there is none. Defaults to 0. A key may have 20 requests that wait.',
  }),
});

export const webhookEventRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/webhook-events',
    deadlineMs,
    waits: 'EVENTS',
    operation: {
      id: 'listWebhookEvents',
      summary: 'List all events, oldest first',
      description:
        'Lists the events that webhooks send, whether an endpoint asks for them or not, in one order without gaps. Pass `nextAfter` as the next `after`: no event ever appears at or before it. Events of one resource are in the order of their `sequence`. They are kept for 30 days of real time.',
      query: ListWebhookEvents,
      answer: { status: 200, schema: WebhookEventPage },
      errors: ['cursor_expired'],
    },
    handle: async (request, peers) => {
      const { after, limit, types = [], wait } = readQuery(ListWebhookEvents, request);
      const page = await peers.webhookFeed.listWebhookEvents(
        { after, limit, types, waitMs: wait * 1_000 },
        request.context,
      );
      const { nextAfter, oldest = null, newest } = page;
      const cursors = JSON.stringify({ nextAfter, oldest, newest }).slice(1);
      return jsonText(`{"data":[${page.events.map(toWebhookEventText).join(',')}],${cursors}`);
    },
  },
  {
    method: 'GET',
    path: '/webhook-events/:id',
    operation: {
      id: 'getWebhookEvent',
      summary: 'Get an event',
      answer: { status: 200, schema: WebhookEventJson },
      errors: ['webhook_event_not_found'],
    },
    handle: async (request, peers) => {
      const { event } = await peers.webhookFeed.getWebhookEvent(
        { id: param(request, 'id') },
        request.context,
      );
      return jsonText(toWebhookEventText(present(event)));
    },
  },
];

/** 200 with JSON that contains the exact bytes of webhooks. */
function jsonText(text: string): ApiAnswer {
  return ok(Buffer.from(text), { 'Content-Type': 'application/json; charset=utf-8' });
}
