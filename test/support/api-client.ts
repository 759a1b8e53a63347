import { monotonicMs } from '@billing/chassis/clock';
import { eventually } from '@billing/chassis/testing';
import { contractOf } from './described-answers';
import { repeatRefused } from './repeat-refused';

/** A complete response of the gateway. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

// Fetch itself times out after five minutes without any sign before.
const advanceRetryAfterMs = 60_000;
const advanceAttemptsMax = 10;
// What takes eight seconds is answered before all its effects.
const completeWithinMs = 7_000;

/** The parts of a request other than method and path. */
export interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
  /** How often a request is sent again that is refused for a moment; absent: as usual. */
  readonly repeatsMax?: number;
}

/** Reads a response: JSON as its value, everything else as text. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const { status, headers } = response;
  return { status, headers, body: isJson ? JSON.parse(text) : text };
}

/**
 * A REST client as a customer of the API would write it: fetch, a key and JSON. Every response is
 * checked against the gateway's own OpenAPI document, so each end-to-end test verifies a part of
 * the document.
 */
export class ApiClient {
  /** Address of each acknowledged creation with the resource's id; undefined after its deletion. */
  readonly acknowledged = new Map<string, string | undefined>();
  /** Ids of acknowledged usage events, of those that the caller has chosen. */
  readonly acknowledgedEvents = new Set<string>();

  constructor(
    readonly gatewayUrl: string,
    readonly key: string | undefined,
  ) {}

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const contract = await contractOf(this.gatewayUrl);
    const answer = await repeatRefused(async () => {
      const one = await this.send(method, path, options);
      contract.check({ method, path: `/v1${path}` }, one);
      return one;
    }, options.repeatsMax);
    this.recordCreation(method, path, answer);
    if (path === '/events/ingest' && answer.status === 201) {
      this.recordEvents(options.body, answer.body);
    }
    return answer;
  }

  private async send(
    method: string,
    path: string,
    { body, headers = {}, signal }: RequestOptions,
  ): Promise<Answer> {
    const response = await fetch(`${this.gatewayUrl}/v1${path}`, {
      method,
      headers: {
        ...(this.key === undefined ? {} : { Authorization: `Bearer ${this.key}` }),
        'Content-Type': 'application/json',
        ...headers,
      },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      signal: signal ?? null,
    });
    return answerOf(response);
  }

  private recordEvents(body: unknown, { rejected }: { rejected: { index: number }[] }): void {
    const batch: any = typeof body === 'string' ? JSON.parse(body) : body;
    const events: { eventId?: string }[] = Array.isArray(batch) ? batch : batch.events;
    const refused = new Set(rejected.map(({ index }) => index));
    for (const [index, { eventId }] of events.entries()) {
      if (eventId !== undefined && !refused.has(index)) this.acknowledgedEvents.add(eventId);
    }
  }

  private recordCreation(method: string, path: string, { status, headers, body }: Answer): void {
    const location = headers.get('location')?.replace('/v1', '') ?? '';
    // The location of a payment is its invoice.
    const isResource =
      /^\/[\w-]+\/[0-9a-f-]{36}$/.test(location) && location.startsWith(`${path}/`);
    if (status === 201 && isResource) this.acknowledged.set(location, body.id ?? body.sessionId);
    if (method !== 'DELETE' || status !== 204) return;
    // A change that is taken back can still be read.
    const changeId = /^\/subscriptions\/[^/]+\/changes\/([^/]+)$/.exec(path)?.[1];
    this.acknowledged.set(path, changeId);
  }

  get(path: string): Promise<Answer> {
    return this.request('GET', path);
  }

  post(path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('POST', path, { body, headers });
  }

  delete(path: string): Promise<Answer> {
    return this.request('DELETE', path);
  }

  /** Returns the body of a response that must have this status. */
  async expect(status: number, answer: Promise<Answer>): Promise<any> {
    const { status: actual, body } = await answer;
    if (actual !== status) {
      throw new Error(`Expected ${String(status)}, got ${String(actual)}: ${JSON.stringify(body)}`);
    }
    return body;
  }

  /** Returns the fields for which a POST is refused, each with its messages. */
  async refusedFields(path: string, body: unknown): Promise<string[]> {
    const { error } = await this.expect(400, this.post(path, body));
    for (const messages of Object.values<unknown>(error)) {
      const isList = Array.isArray(messages) && messages.every((one) => typeof one === 'string');
      if (!isList || messages.length === 0)
        throw new Error(`No messages: ${JSON.stringify(error)}`);
    }
    return Object.keys(error).sort();
  }

  /** Creates a sandbox of the organization (needs the live key) and a client for it. */
  async manualSandbox(startsAt: string): Promise<ApiClient> {
    const sandbox = await this.expect(
      201,
      this.post('/sandboxes', { name: 'test', clock: 'MANUAL', startsAt }),
    );
    return new ApiClient(this.gatewayUrl, sandbox.key as string);
  }

  /**
   * Creates a subscription, and waits for its first invoice and charge, which a busy machine may
   * complete after the answer.
   */
  async subscribe(body: Readonly<Record<string, unknown>>): Promise<any> {
    const create = () => this.expect(201, this.post('/subscriptions', body));
    const created = await timed(create);
    if (created.isComplete) return created.result;
    const read = () => this.expect(200, this.get(`/subscriptions/${String(created.result.id)}`));
    const { clock } = (await this.get('/sandboxes/clock')).body;
    if (clock === 'MANUAL') {
      await this.untilIdle();
      return read();
    }
    return eventually(async () => {
      // A repeat finds the subscription of an authorized payment, and waits in its turn.
      const isRepeatable = typeof body.authorizedTransactionId === 'string';
      const { isComplete, result } = await timed(isRepeatable ? create : read);
      const isBilled = result.phase !== 'REGULAR' || result.latestInvoiceId !== null;
      if (!isComplete || !isBilled) throw new Error('Not billed yet');
      return result;
    });
  }

  /**
   * Does something under a manual clock, and waits for effects that a busy machine may have after
   * the answer. `read` reads the result once more then.
   */
  async complete<T>(act: () => Promise<T>, read?: (result: T) => Promise<T>): Promise<T> {
    const { isComplete, result } = await timed(act);
    if (isComplete) return result;
    await this.untilIdle();
    return read === undefined ? result : read(result);
  }

  /** Completes the work in flight of an environment with a manual clock. */
  async untilIdle(): Promise<void> {
    const { now } = await this.expect(200, this.get('/sandboxes/clock'));
    await this.advanceTo(now as string);
  }

  /** Advances a manual clock and waits until all due work is done. */
  async advanceTo(to: string): Promise<{ now: string; processed: number }> {
    return this.expect(200, this.advance(to));
  }

  /**
   * A clock advance continues without the request that began it: after a long wait the client asks
   * again and joins it.
   */
  async advance(to: string): Promise<Answer> {
    for (let asked = 1; ; asked += 1) {
      try {
        const signal = AbortSignal.timeout(advanceRetryAfterMs);
        return await this.request('POST', '/sandboxes/clock/advance', { body: { to }, signal });
      } catch (error) {
        if ((error as Error).name !== 'TimeoutError' || asked === advanceAttemptsMax) throw error;
        process.stderr.write(`Clock advance to ${to} in progress, attempt ${String(asked)}\n`);
      }
    }
  }

  /** Returns every item of a list, page by page. */
  async all(path: string): Promise<any[]> {
    const items: any[] = [];
    for (let page = 1; ; page += 1) {
      const separator = path.includes('?') ? '&' : '?';
      const query = `${path}${separator}page=${String(page)}&perPage=100`;
      const { data, total } = await this.expect(200, this.get(query));
      items.push(...data);
      if (items.length >= total || data.length === 0) return items;
    }
  }
}

/** `isComplete`: true if the answer came so early that it has waited for its effects. */
async function timed<T>(act: () => Promise<T>): Promise<{ isComplete: boolean; result: T }> {
  const startedMs = monotonicMs();
  const result = await act();
  return { isComplete: monotonicMs() - startedMs < completeWithinMs, result };
}
