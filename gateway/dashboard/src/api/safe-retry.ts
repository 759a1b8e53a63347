import { type ApiRequest, newIdempotencyKey } from './client';
import { ApiProblem, UnknownOutcome } from './problem';

// A request whose answer is lost may have done its work. With the same idempotency key it can be sent again without doing it twice.

const delaysMs = [1_000, 3_000, 8_000];
const retryAfterMsMax = 30_000;

/** Idempotency key of a form: the same from its opening until it succeeds or is edited. */
export class FormKey {
  private kept: { readonly content: string; readonly key: string } | undefined;

  /** The request with the form's key; only the public API knows keys. */
  keyed(request: ApiRequest): ApiRequest {
    if (!isRepeatable(request)) return request;
    const content = JSON.stringify([request.method, request.path, request.body]);
    if (this.kept?.content !== content) this.kept = { content, key: newIdempotencyKey() };
    return { idempotencyKey: this.kept.key, ...request };
  }

  /** Call when the outcome is known: the next request is another one, even with the same content. */
  settle(): void {
    this.kept = undefined;
  }
}

/** Whether the request can be sent again without doing its work twice. */
function isRepeatable({ path }: Pick<ApiRequest, 'path'>): boolean {
  return path.startsWith('/v1/');
}

/** The failure of a request that changes something, as people see it. */
export function failureOf(request: ApiRequest, error: unknown): unknown {
  return error instanceof ApiProblem && error.isOutcomeUnknown
    ? new UnknownOutcome(error, isRepeatable(request))
    : error;
}

/** Delay before the next attempt, after a number of failed ones; undefined if there is none. */
export function retryDelayMs(failures: number, error: unknown): number | undefined {
  if (!(error instanceof UnknownOutcome) || !error.isRepeatable) return undefined;
  const delayMs = delaysMs[failures - 1];
  if (delayMs === undefined) return undefined;
  const { retryAfterMs = 0 } = error.details;
  return Math.min(Math.max(delayMs, retryAfterMs), retryAfterMsMax);
}
