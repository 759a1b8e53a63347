import { type ApiRequest, newIdempotencyKey } from './client';
import { ApiProblem, UnknownOutcome } from './problem';

// A request whose response is lost may have taken effect. The idempotency key makes sending it
// again safe.

const delaysMs = [1_000, 3_000, 8_000];
const retryAfterMsMax = 30_000;

/** Idempotency key of a form, kept from its opening until it succeeds or is edited. */
export class FormKey {
  private kept: { readonly content: string; readonly key: string } | undefined;

  /** Adds the form's key to the request; only the public API supports idempotency keys. */
  keyed(request: ApiRequest): ApiRequest {
    if (!isRepeatable(request)) return request;
    const content = JSON.stringify([request.method, request.path, request.body]);
    if (this.kept?.content !== content) this.kept = { content, key: newIdempotencyKey() };
    return { idempotencyKey: this.kept.key, ...request };
  }

  /**
   * Call when the outcome is known: the next request gets a new key, even with the same content.
   */
  settle(): void {
    this.kept = undefined;
  }
}

/** True if the request can be sent again without taking effect twice. */
function isRepeatable({ path }: Pick<ApiRequest, 'path'>): boolean {
  return path.startsWith('/v1/');
}

/** Failure of a write, in the form that pages show. */
export function failureOf(request: ApiRequest, error: unknown): unknown {
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
