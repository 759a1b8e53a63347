import type { Tenant } from '@billing/chassis/call-context';
import { type Clock, monotonicMs } from '@billing/chassis/clock';
import { jitter, newId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import type { Metrics } from '@billing/chassis/metrics';
import {
  aggregateAttributes,
  currentTraceparent,
  inSpan,
  type SpanAttributes,
} from '@billing/chassis/tracing';
import type { Assignment } from './assignment-store';
import type { Attempt } from '../delivery/attempt-store';
import { judge, type Outcome, type Verdict, type Delivery } from '../delivery/delivery';
import type { DeliveryStore } from '../delivery/delivery-store';
import { hasFailedTooLong } from '../endpoint/health';
import type { EndpointHealthStore } from '../endpoint/health-store';
import { signingSecrets } from '../endpoint/secret';
import type { EndpointStore } from '../endpoint/endpoint-store';
import type { OutcomeStore } from './outcome-store';
import type { AddressPolicy } from '../endpoint/public-address';
import { retrySpread } from '../delivery/retry-schedule';
import { eventHeader, signatureHeaders } from '../endpoint/signature';
import type { WebhookClient } from './webhook-client';

export interface WebhookSenderDependencies {
  readonly endpoints: EndpointStore;
  readonly deliveries: DeliveryStore;
  readonly health: EndpointHealthStore;
  readonly client: WebhookClient;
  readonly outcomes: OutcomeStore;
  readonly policyOf: (tenant: Tenant) => AddressPolicy;
  readonly retryScheduleMs: readonly number[];
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics?: Pick<Metrics, 'recordWebhook'>;
}

/** A completed attempt. */
export interface CompletedAttempt {
  readonly outcome: Outcome;
  readonly at: Date;
  readonly durationMs: number;
}

/** Makes one attempt of a delivery, and stores its result. */
export class WebhookSender {
  constructor(private readonly dependencies: WebhookSenderDependencies) {}

  /** Never rejects. `signal` aborts the attempt. */
  async send(assignment: Assignment, signal: AbortSignal): Promise<CompletedAttempt> {
    const at = this.dependencies.clock.now();
    const startedMs = monotonicMs();
    const outcome = await this.postOrFail(assignment, { at, signal });
    return { outcome, at, durationMs: Math.round(monotonicMs() - startedMs) };
  }

  /**
   * Stores the result of an attempt. An aborted attempt (`isAborted`) without a response is due
   * again immediately.
   */
  async storeResult(
    assignment: Assignment,
    { outcome, at, durationMs }: CompletedAttempt,
    { isAborted }: { isAborted: boolean },
  ): Promise<void> {
    const { clock, outcomes, retryScheduleMs: scheduleMs } = this.dependencies;
    const { delivery, claim } = assignment;
    const { failures } = delivery;
    const now = clock.now();

    if (isAborted && outcome.kind === 'unanswered') {
      await this.release(assignment);
      return;
    }

    // Retries follow the schedule or a person's request, so they do not measure the latency of
    // webhooks.
    if (failures === 0 && (delivery.requestedAt ?? undefined) === undefined) {
      const lagMs = at.getTime() - assignment.message.acceptedAt.getTime();
      const { live } = assignment.endpoint.tenant;
      this.dependencies.metrics?.recordWebhook({ lagMs, live });
    }
    const rules = { failures, now, jitter: jitter(retrySpread), scheduleMs };
    const judged = judge(outcome, rules);
    const isSuccess = judged.status === 'DELIVERED';
    const isPast = !isSuccess && !(await this.disableIfFailing(assignment, judged, now));
    const verdict = judged.isEndpointGone ? judge(outcome, { ...rules, isPast }) : judged;
    await outcomes.write({
      attempt: toAttempt(delivery, outcome, { at, durationMs }),
      settlement: {
        delivery,
        claim,
        status: verdict.status,
        dueAt: verdict.dueAt,
        failures: isSuccess ? failures : failures + 1,
      },
    });
    if (!isSuccess) this.logFailure(assignment, outcome, verdict);
  }

  /** Releases a claim without an attempt: the delivery is due again immediately. */
  async release({ delivery, claim }: Assignment): Promise<void> {
    const { clock, outcomes } = this.dependencies;
    const { failures } = delivery;
    const settlement = {
      delivery,
      claim,
      status: 'PENDING',
      dueAt: clock.now(),
      failures,
    } as const;
    await outcomes.write({ attempt: undefined, settlement });
  }

  /**
   * A webhook that cannot be built counts as a failure of its endpoint: its schedule ends, and the
   * owner sees why.
   */
  private async postOrFail(
    assignment: Assignment,
    attempt: { at: Date; signal: AbortSignal },
  ): Promise<Outcome> {
    try {
      return await this.post(assignment, attempt);
    } catch (error) {
      const { _id: deliveryId, endpointId } = assignment.delivery;
      this.dependencies.logger.error(
        { err: error, deliveryId, endpointId },
        'building webhook request failed',
      );
      return { kind: 'unanswered', error: 'The request could not be created' };
    }
  }

  private post(
    { endpoint, delivery, message }: Assignment,
    { at, signal }: { at: Date; signal: AbortSignal },
  ): Promise<Outcome> {
    const { client, policyOf } = this.dependencies;
    const { id: endpointId, url, headerPrefix } = endpoint.state;
    const secrets = signingSecrets(endpoint.state, at);
    const { _id: id, body, type } = message;
    const timestamp = Math.floor(at.getTime() / 1_000);
    const span = {
      name: 'webhook POST',
      kind: 'client',
      service: 'notifier',
      attributes: () => spanAttributes({ endpoint, delivery, message }),
      traceparent: message.traceparent ?? undefined,
    } as const;
    return inSpan(span, () => {
      const traceparent = currentTraceparent();
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'Billing-Webhooks/1.0',
        ...eventHeader(headerPrefix, type),
        ...signatureHeaders({ secrets, id, timestamp, body }, headerPrefix),
        ...(traceparent !== undefined && { traceparent }),
      };
      const target = { endpointId, url, policy: policyOf(endpoint.tenant) };
      return client.post(target, { headers, body, signal });
    });
  }

  /**
   * Returns true if the endpoint ends up inactive. Precedes the write of the outcome: after a
   * failure here, the delivery and this check are repeated.
   */
  private async disableIfFailing(
    { endpoint, delivery }: Assignment,
    { isEndpointGone }: Verdict,
    now: Date,
  ): Promise<boolean> {
    const { endpoints, deliveries, health, logger } = this.dependencies;
    const since = await health.recordFailure(delivery, now);
    const countFrom = endpoint.state.failuresCountFrom;
    if (!isEndpointGone && !hasFailedTooLong(since, { now, countFrom })) return false;
    if (!(await endpoints.disable(endpoint))) return false;
    await deliveries.pause(delivery, { createdUntil: now, except: delivery._id });
    logger.warn({ endpointId: delivery.endpointId, isEndpointGone }, 'webhook endpoint disabled');
    return true;
  }

  private logFailure(
    { delivery, message }: Assignment,
    outcome: Outcome,
    { status, dueAt }: Verdict,
  ): void {
    const cause =
      outcome.kind === 'answered' ? { status: outcome.status } : { error: outcome.error };
    const details = { messageId: message._id, endpointId: delivery.endpointId, ...cause, dueAt };
    if (status === 'FAILED')
      this.dependencies.logger.warn(details, 'webhook failed, no retries left');
    else this.dependencies.logger.info(details, 'webhook failed, retrying');
  }
}

function spanAttributes({
  endpoint,
  delivery,
  message,
}: Pick<Assignment, 'endpoint' | 'delivery' | 'message'>): SpanAttributes {
  const { type, subscriptionId: id, sequence, body } = message;
  const [aggregate = ''] = type.split('.');
  const { data } = JSON.parse(body) as { data?: { customerId?: unknown } };
  const { environmentId, live } = endpoint.tenant;
  const document = { _id: id, environmentId, live, customerId: data?.customerId };
  return {
    'webhook.id': message._id,
    'webhook.type': type,
    'webhook.delivery_id': delivery._id,
    'billing.endpoint_id': endpoint.state.id,
    ...aggregateAttributes(aggregate, document, sequence),
  };
}

function toAttempt(
  { _id: deliveryId, environmentId }: Delivery,
  outcome: Outcome,
  { at, durationMs }: Pick<Attempt, 'at' | 'durationMs'>,
): Attempt {
  const isAnswered = outcome.kind === 'answered';
  return {
    _id: newId(),
    environmentId,
    deliveryId,
    at,
    durationMs,
    responseStatus: isAnswered ? outcome.status : null,
    responseBody: isAnswered ? outcome.body : null,
    error: isAnswered ? null : outcome.error,
  };
}
