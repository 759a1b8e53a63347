import { rpcService, type AsyncHandlers } from '@billing/chassis/rpc';
import { DomainError, invalidInput, notFound } from '@billing/kernel/domain-error';
import { webhookFeedTypeProblems } from '@billing/kernel/input/webhook-endpoint';
import {
  type WebhookEvent,
  type WebhookFeedServiceServer,
  WebhookFeedServiceService,
} from '@billing/proto/billing/notifier/v1/webhook_feed';
import { webhookFeedCallers } from '../peer/callers';
import { subjectTypeOfMessage } from '../message/message-store';
import { toCursor } from './feed-cursor';
import type { FeedEvent, FeedReader } from './read-feed';

const limitMax = 1_000;
const waitMsMax = 20_000;

/** Implements the calls about the feed. `settle` returns the number of events left to accept. */
export function feedRpc(reader: FeedReader, settle: (environmentId: string) => Promise<number>) {
  const handlers: AsyncHandlers<WebhookFeedServiceServer> = {
    listWebhookEvents: async ({ after, limit, types, waitMs }, { tenant, signal }) => {
      const problems = webhookFeedTypeProblems(types);
      if (problems.length > 0) throw invalidInput({ types: problems });
      const page = await reader.read({
        environmentId: tenant.environmentId,
        after,
        limit: Math.min(Math.max(limit, 1), limitMax),
        types,
        waitMs: Math.min(Math.max(waitMs, 0), waitMsMax),
        signal,
      });
      const cursorOf = (position: number) => toCursor(position, page.restoreCode);
      return {
        events: page.events.map(toProtoEvent),
        nextAfter: cursorOf(page.nextAfter),
        oldest: page.oldest === undefined ? undefined : cursorOf(page.oldest),
        newest: cursorOf(page.newest),
      };
    },
    settleWebhookEvents: async (_request, { tenant: { environmentId } }) => {
      if ((await settle(environmentId)) > 0) {
        throw new DomainError('unavailable', 'EVENTS_LEFT', 'Service unavailable');
      }
      return { newest: await reader.newest(environmentId) };
    },
    getWebhookEvent: async ({ id }, { tenant }) => {
      const event = await reader.find(tenant.environmentId, id);
      if (event === undefined) throw notFound('Webhook event');
      return { event: toProtoEvent(event) };
    },
  };
  // A call that waits would occupy the place of one that works.
  return rpcService(WebhookFeedServiceService, handlers, {
    unlimited: ['listWebhookEvents'],
    callers: webhookFeedCallers,
  });
}

function toProtoEvent({ position, message }: FeedEvent): WebhookEvent {
  return {
    position: BigInt(position),
    subjectType: subjectTypeOfMessage(message),
    subjectId: message.subscriptionId,
    acceptedAt: message.acceptedAt,
    body: message.body,
  };
}
