import { newId } from '@billing/chassis/ids';
import { eventually } from '@billing/chassis/testing';
import type { Answer, ApiClient } from './api-client';

// A service that was killed is back within seconds; a step that was begun is taken up by another worker after half a minute.
const patienceMs = 90_000;
// A long jump may meet failures at any time of its way.
const jumpPatienceMs = 600_000;
const pauses = { everyMs: 100, everyMsMax: 1_000 };
const retriedStatuses = [429, 500, 502, 503, 504];

/**
 * A client that wants its answer: it sends the same request under the same key again after a lost connection, a failure of the server, or
 * while the first one still runs.
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
    await this.insist(200, () => this.api.advance(to), jumpPatienceMs);
  }

  /** What the request comes to in the end, whatever that is. */
  answer(call: () => Promise<Answer>, timeoutMs = patienceMs): Promise<Answer> {
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
    timeoutMs = patienceMs,
  ): Promise<any> {
    const answer = await this.answer(call, timeoutMs);
    if (answer.status !== status) throw new Error(describe(answer));
    return answer.body;
  }
}

function describe({ status, body }: Answer): string {
  return `${String(status)} ${JSON.stringify(body)}`;
}
