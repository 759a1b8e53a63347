import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, answerOf } from '../support/api-client';

const attemptsMax = 8;
const pauseMs = 250;
// Every POST of the demo has an idempotency key or is idempotent, such as an advance of the clock.
const retriedStatuses = [429, 500, 502, 503, 504];

/** A response that no retry can change. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/** A patient client of the API: retries temporary failures under the same key. */
export class DemoClient {
  /** Responses so far. */
  requests = 0;

  constructor(
    readonly url: string,
    private readonly key: string,
    private readonly signal?: AbortSignal,
  ) {}

  get(path: string): Promise<any> {
    return this.ask('GET', path);
  }

  /** `idempotencyKey`: makes a repeated step harmless. */
  post(path: string, body: object, idempotencyKey?: string): Promise<any> {
    return this.ask('POST', path, { body, idempotencyKey });
  }

  patch(path: string, body: object, idempotencyKey?: string): Promise<any> {
    return this.ask('PATCH', path, { body, idempotencyKey });
  }

  private async ask(
    method: string,
    path: string,
    { body, idempotencyKey }: { body?: object; idempotencyKey?: string | undefined } = {},
  ): Promise<any> {
    const send = async () => {
      const response = await fetch(`${this.url}/v1${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${this.key}`,
          'Content-Type': 'application/json',
          ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: this.signal ?? null,
      });
      return answerOf(response);
    };
    const answer = await withRetries(send, this.signal);
    this.requests += 1;
    if (answer.status < 300) return answer.body;
    const said = JSON.stringify(answer.body);
    throw new RefusedError(`${method} /v1${path}: ${String(answer.status)} ${said}`);
  }
}

/** Retries until the response is final; an unavailable server may come back. */
export async function withRetries(
  send: () => Promise<Answer>,
  signal?: AbortSignal,
): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      const answer = await send();
      const isInUse = answer.headers.get('error-code') === 'idempotency_key_in_use';
      const isFinal = !isInUse && !retriedStatuses.includes(answer.status);
      if (isFinal || tries === attemptsMax) return answer;
      const seconds = Number(answer.headers.get('retry-after') ?? 0);
      await pause(Math.max(seconds * 1000, pauseMs), undefined, { signal });
    } catch (error) {
      if (signal?.aborted === true || tries === attemptsMax) throw error;
      await pause(pauseMs * 2 ** tries, undefined, { signal });
    }
  }
}
