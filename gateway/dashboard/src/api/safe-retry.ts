import { type ApiRequest, newIdempotencyKey } from './client';
import { ApiProblem, UnknownOutcome } from './problem';

// A request whose response is lost may have taken effect. The idempotency key makes sending it
// again safe.

const delaysMs = [1_000, 3_000, 8_000];
/** Longest wait for a `Retry-After`. */
export const retryAfterMsMax = 30_000;
// Refusals before the gateway looks at the request: they say nothing about an earlier attempt.
const unreadStatuses: readonly number[] = [403, 429];

/** Idempotency key of a form, kept from its opening until it succeeds or is edited. */
export class FormKey {
  private kept:
    { readonly content: string; readonly key: string; readonly isUncertain: boolean } | undefined;

  /** Sends a request under the form's key; rejects with the failure in the form that pages show. */
  async send(
    request: ApiRequest,
    sendOnce: (keyed: ApiRequest) => Promise<unknown>,
  ): Promise<unknown> {
    const keyed = this.keyed(request);
    try {
      const answer = await sendOnce(keyed);
      this.settle();
      return answer;
    } catch (error) {
      if (!this.hasSucceeded(keyed, error)) throw this.failureOf(keyed, error);
      this.settle();
      return undefined;
    }
  }

  /** Adds the form's key to a request that can be sent again. */
  keyed(request: ApiRequest): ApiRequest {
    if (!isRepeatable(request)) return request;
    const content = JSON.stringify([request.method, request.path, request.body]);
    if (this.kept?.content !== content) {
      this.kept = { content, key: newIdempotencyKey(), isUncertain: false };
    }
    return { idempotencyKey: this.kept.key, ...request };
  }

  /**
   * Call when the outcome is known: the next request gets a new key, even with the same content.
   */
  settle(): void {
    this.kept = undefined;
  }

  /**
   * True if a refusal shows that an earlier attempt, whose outcome was unknown, has succeeded: what
   * it deleted is gone.
   */
  hasSucceeded({ method, path }: ApiRequest, error: unknown): boolean {
    const isGone = error instanceof ApiProblem && error.details.status === 404;
    const isRemoval = method === 'DELETE' || path === '/dashboard/api/second-factor/remove';
    return isRemoval && isGone && this.kept?.isUncertain === true;
  }

  /** Failure of a request, in the form that pages show. Keeps the key if the outcome is unknown. */
  failureOf(sent: ApiRequest, error: unknown): unknown {
    const failure = failureOf(sent, error);
    const { kept } = this;
    if (failure instanceof UnknownOutcome) {
      if (kept !== undefined) this.kept = { ...kept, isUncertain: true };
      return failure;
    }
    const isUnread =
      failure instanceof ApiProblem && unreadStatuses.includes(failure.details.status);
    if (kept?.isUncertain !== true || !isUnread) {
      this.settle();
      return failure;
    }
    return failure.details.status === 429
      ? new UnknownOutcome(failure, isRepeatable(sent))
      : failure;
  }
}

/**
 * POSTs of the dashboard's own API that keep to their idempotency key, and those of the second
 * factor, whose repetition has the same effect.
 */
const keyedPosts: readonly RegExp[] = [
  /^\/dashboard\/api\/operators(\/[^/]+\/reset-link)?$/,
  /^\/dashboard\/api\/email-test$/,
  /^\/dashboard\/api\/(invitations\/accept|reset-links\/use)$/,
  /^\/dashboard\/api\/second-factor(\/confirm|\/remove)?$/,
  /^\/dashboard\/api\/system\/commands\/[^/]+\/[^/]+\/(retry|skip)$/,
];

/** PUTs of the dashboard's own API: a repetition with the same fields changes nothing. */
const repeatablePuts: readonly string[] = [
  '/dashboard/api/password',
  '/dashboard/api/operators/me/email',
];

/** True if the request can be sent again without taking effect twice. */
function isRepeatable({ method, path }: Pick<ApiRequest, 'method' | 'path'>): boolean {
  if (path.startsWith('/v1/')) return true;
  if (method === 'PATCH' || method === 'DELETE') return true;
  if (method === 'PUT') return repeatablePuts.includes(path);
  return method === 'POST' && keyedPosts.some((pattern) => pattern.test(path));
}

/** Failure of a write, in the form that pages show. */
function failureOf(request: ApiRequest, error: unknown): unknown {
  return error instanceof ApiProblem && error.isOutcomeUnknown
    ? new UnknownOutcome(error, isRepeatable(request))
    : error;
}

/** Delay before the next attempt, by the number of failures; undefined if there is none. */
export function retryDelayMs(failures: number, error: unknown): number | undefined {
  if (!(error instanceof UnknownOutcome) || !error.isRepeatable) return undefined;
  const delayMs = delaysMs[failures - 1];
  if (delayMs === undefined) return undefined;
  const { retryAfterMs = 0 } = error.details;
  return Math.min(Math.max(delayMs, retryAfterMs), retryAfterMsMax);
}
