import { z } from 'zod';
import type { WebhookEvent } from '../../gen/billing/notifier/v1/webhook_feed';
import { id, time, toJsonTime } from '../scalars';

export const WebhookEventJson = z
  .object({
    position: z.int().min(1).meta({
      description: 'Place in the feed of the environment: 1, 2, 3 … without gaps.',
    }),
    subject: z
      .object({ type: z.string().meta({ examples: ['subscription'] }), id })
      .meta({ description: 'Resource that numbers the event.' }),
    acceptedAt: time.meta({ description: 'In real time.' }),
    event: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'Body of the webhook. Null for an event that was unreadable.' }),
  })
  .meta({ id: 'WebhookEvent' });

/** JSON text of an event of the feed, which contains the bytes of the webhook. */
export function toWebhookEventText(event: WebhookEvent): string {
  const head = {
    position: Number(event.position),
    subject: { type: event.subjectType, id: event.subjectId },
    acceptedAt: toJsonTime(event.acceptedAt),
  };
  const body = event.body === '' ? 'null' : event.body;
  return `${JSON.stringify(head).slice(0, -1)},"event":${body}}`;
}
