import { type CallContext, newResourceId } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { readPage } from '@billing/chassis/request-fields';
import { type AsyncHandlers, rpcService } from '@billing/chassis/rpc';
import { invalidInput, notFound } from '@billing/kernel/domain-error';
import { subjectTypeOf } from '@billing/kernel/input/webhook-endpoint';
import {
  type SubscriptionWebhook as ProtoSubscriptionWebhook,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookDeliveryServiceServer,
  WebhookDeliveryServiceService,
  type WebhookGap as ProtoWebhookGap,
} from '@billing/proto/billing/notifier/v1/webhook_delivery';
import { webhookDeliveryStatuses } from '@billing/proto/values/notifier';
import { webhookDeliveryCallers } from '../peer/callers';
import type { Attempt } from '../delivery/attempt-store';
import type { DescribedDelivery, DeliveryHistoryStore } from './history-store';
import type { EndpointStore } from '../endpoint/endpoint-store';
import type { GapReconciliation, WebhookGap } from './find-gaps';
import { retentionMs } from './retention-worker';
import type { ReplayWorker } from './replay-worker';
import type { RetryStore } from './retry-store';
import type { SubscriptionHistoryStore, SubscriptionWebhook } from './subscription-history-store';
import type { TestWebhookSender } from '../message/send-test-webhook';
import { requireActive, type EndpointKey } from '../endpoint/endpoint';

const listedMax = 20;

export interface DeliveryRpcDependencies {
  readonly endpoints: EndpointStore;
  readonly history: DeliveryHistoryStore;
  readonly subscriptions: SubscriptionHistoryStore;
  readonly tests: TestWebhookSender;
  readonly retries: RetryStore;
  readonly replays: ReplayWorker;
  readonly gaps: GapReconciliation;
  readonly clock: Clock;
  /** Called with endpoints that have new due deliveries. */
  readonly onDeliveries: (endpoints: readonly EndpointKey[]) => void;
  /** Called after a replay was stored. */
  readonly onReplay: () => void;
}

/** Implements the calls about deliveries. */
export function deliveryRpc(dependencies: DeliveryRpcDependencies) {
  const { endpoints, history, tests, retries, replays, gaps, clock } = dependencies;
  const activeKey = async (context: CallContext, id: string): Promise<EndpointKey> => {
    requireActive((await endpoints.get(context, id)).state);
    return { environmentId: context.tenant.environmentId, endpointId: id };
  };
  const handlers: AsyncHandlers<WebhookDeliveryServiceServer> = {
    sendTestWebhook: async ({ id }, context) => {
      const key = await activeKey(context, id);
      const deliveryId = await tests.send(key, context);
      dependencies.onDeliveries([key]);
      return { deliveryId };
    },
    listWebhookDeliveries: async ({ endpointId, ...request }, context) => {
      await endpoints.get(context, endpointId);
      const key = { environmentId: context.tenant.environmentId, endpointId };
      const { deliveries, total } = await history.list(key, readPage(request));
      return { deliveries: deliveries.map(toProtoDelivery), total };
    },
    listSubscriptionWebhooks: async ({ subscriptionIds, messageIds }, { tenant }) => {
      for (const [field, ids] of Object.entries({ subscriptionIds, messageIds })) {
        if (ids.length <= listedMax) continue;
        throw invalidInput({ [field]: [`Must have at most ${String(listedMax)} entries`] });
      }
      const { environmentId } = tenant;
      const { subscriptions } = dependencies;
      const webhooks =
        messageIds.length > 0
          ? await subscriptions.listByIds(environmentId, messageIds)
          : await subscriptions.list(environmentId, subscriptionIds);
      return { webhooks: webhooks.map(toProtoSubscriptionWebhook) };
    },
    getWebhookBody: async ({ endpointId, id }, context) => {
      await endpoints.get(context, endpointId);
      const key = { environmentId: context.tenant.environmentId, endpointId };
      const body = await history.findBody(key, id);
      if (body === undefined) throw notFound('Webhook delivery');
      return { body };
    },
    retryWebhookDelivery: async ({ endpointId, id }, context) => {
      const key = await activeKey(context, endpointId);
      // Read before the write: an error after it would deny a retry that is stored.
      const [described] = await history.describe(key.environmentId, [await retries.get(key, id)]);
      if (described === undefined) throw notFound('Webhook delivery');
      const { storing, resourceSeed } = context;
      const delivery = await retries.send(key, id, { now: clock.now(), storing, resourceSeed });
      dependencies.onDeliveries([key]);
      return { delivery: toProtoDelivery({ ...described, delivery }) };
    },
    replayWebhooks: async ({ endpointId, since, all }, context) => {
      if (since === undefined) throw invalidInput({ since: ['Required'] });
      const key = await activeKey(context, endpointId);
      const count = await replays.request(newResourceId(context, 'replay'), key, {
        since,
        all,
        storing: context.storing,
      });
      dependencies.onReplay();
      return { count };
    },
    listWebhookGaps: async ({ endpointId, since }, context) => {
      const endpoint = await endpoints.get(context, endpointId);
      const kept = new Date(clock.now().getTime() - retentionMs);
      return { gaps: (await gaps.find(endpoint, since ?? kept)).map(toProtoGap) };
    },
  };
  return rpcService(WebhookDeliveryServiceService, handlers, { callers: webhookDeliveryCallers });
}

function toProtoDelivery({ delivery, type, attempts }: DescribedDelivery): WebhookDelivery {
  const { _id: id, messageId, subscriptionId, sequence, status, claim, createdAt } = delivery;
  // A test has no number and no subject.
  const hasSubject = sequence > 0;
  return {
    id,
    messageId,
    type,
    subscriptionId: type.startsWith('subscription.') ? subscriptionId : undefined,
    subjectType: hasSubject ? subjectTypeOf(type) : undefined,
    subjectId: hasSubject ? subscriptionId : undefined,
    sequence: sequence === 0 ? undefined : sequence,
    status: webhookDeliveryStatuses.valueOf(status),
    attempts: attempts.map(toProtoAttempt),
    // While the delivery is in flight, `dueAt` is the end of its sender's lease.
    nextAttemptAt: claim === null ? (delivery.dueAt ?? undefined) : undefined,
    createdAt,
  };
}

function toProtoSubscriptionWebhook({
  message,
  deliveries,
}: SubscriptionWebhook): ProtoSubscriptionWebhook {
  const { _id, type, subscriptionId, body } = message;
  const { timestamp } = JSON.parse(body) as { timestamp: string };
  return {
    messageId: _id,
    type,
    subscriptionId,
    occurredAt: new Date(timestamp),
    deliveries: deliveries.map(({ endpointId, status }) => ({
      endpointId,
      status: webhookDeliveryStatuses.valueOf(status),
    })),
  };
}

function toProtoAttempt(attempt: Attempt): WebhookAttempt {
  const { at, durationMs, responseStatus, responseBody, error } = attempt;
  return {
    at,
    durationMs,
    responseStatus: responseStatus ?? undefined,
    responseBody: responseBody ?? undefined,
    error: error ?? undefined,
  };
}

function toProtoGap({ subjectType, id, sequences }: WebhookGap): ProtoWebhookGap {
  return {
    source: sourceOf(subjectType, id),
    subjectType,
    subjectId: id,
    sequences: [...sequences],
  };
}

// For callers of an earlier release.
function sourceOf(subjectType: string, value: string): ProtoWebhookGap['source'] {
  if (subjectType === 'subscription') return { $case: 'subscriptionId', value };
  if (subjectType === 'checkout_session') return { $case: 'checkoutSessionId', value };
  return undefined;
}
