import { newId } from '@billing/chassis/ids';
import { eventually } from '@billing/chassis/testing';
import type { Answer, ApiClient } from './api-client';

// A killed service is back within seconds; an interrupted step is resumed by another worker after
// half a minute.
const retryTimeoutMs = 300_000;
// A long clock advance may meet failures at any time.
const advanceTimeoutMs = 600_000;
const pauses = { everyMs: 100, everyMsMax: 1_000 };
const retriedStatuses = [429, 500, 502, 503, 504];

/**
 * A client that retries the same request under the same key after a lost connection, a server
 * error, or while the first request is in flight.
 */
export class PersistentClient {
  constructor(readonly api: ApiClient) {}

  get(path: string): Promise<any> {
    return this.insist(200, () => this.api.get(path));
  }

  post(status: number, path: string, body: unknown = {}): Promise<any> {
    const headers = { 'Idempotency-Key': newId() };
    return this.insist(status, () => this.api.post(path, body, headers));
  }

  patch(path: string, body: unknown): Promise<any> {
    return this.insist(200, () => this.api.request('PATCH', path, { body }));
  }

  async advanceTo(to: string): Promise<void> {
    await this.insist(200, () => this.api.advance(to), advanceTimeoutMs);
  }

  /** Returns the final response to the request. */
  answer(call: () => Promise<Answer>, timeoutMs = retryTimeoutMs): Promise<Answer> {
    return eventually(
      async () => {
        const one = await call();
        const isRunning = one.headers.get('error-code') === 'idempotency_key_in_use';
        if (retriedStatuses.includes(one.status) || isRunning) throw new Error(describe(one));
        return one;
      },
      { timeoutMs, ...pauses },
    );
  }

  private async insist(
    status: number,
    call: () => Promise<Answer>,
    timeoutMs = retryTimeoutMs,
  ): Promise<any> {
    const answer = await this.answer(call, timeoutMs);
    if (answer.status !== status) throw new Error(describe(answer));
    return answer.body;
  }
}

function describe({ status, body }: Answer): string {
  return `${String(status)} ${JSON.stringify(body)}`;
}
