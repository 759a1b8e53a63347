import { contractOf } from './described-answers';

/** An answer of the gateway, read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: any;
}

// Fetch itself gives up after five minutes, and until then says nothing.
const jumpAskedAgainAfterMs = 60_000;
const jumpAskedMax = 10;

/** What a request has besides its method and path. */
export interface RequestOptions {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** Reads an answer: what is JSON by its value, all else as text. */
export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const { status, headers } = response;
  return { status, headers, body: isJson ? JSON.parse(text) : text };
}

/**
 * A REST client as a customer of the API would write it: fetch, a key and JSON. Every answer is held to the gateway's own description of
 * itself, so that each end-to-end test proves a piece of it.
 */
export class ApiClient {
  /** The id behind each address that a creation was acknowledged with; what was deleted since has none. */
  readonly acknowledged = new Map<string, string | undefined>();

  constructor(
    readonly gatewayUrl: string,
    readonly key: string | undefined,
  ) {}

  async request(
    method: string,
    path: string,
    { body, headers = {}, signal }: RequestOptions = {},
  ): Promise<Answer> {
    const contract = await contractOf(this.gatewayUrl);
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
    const answer = await answerOf(response);
    contract.check({ method, path: `/v1${path}` }, answer);
    this.note(method, path, answer);
    return answer;
  }

  private note(method: string, path: string, { status, headers, body }: Answer): void {
    const location = headers.get('location')?.replace('/v1', '') ?? '';
    const isResource = /^\/[\w-]+\/[0-9a-f-]{36}$/.test(location);
    if (status === 201 && isResource) this.acknowledged.set(location, body.id ?? body.sessionId);
    if (method === 'DELETE' && status === 204) this.acknowledged.set(path, undefined);
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

  /** The body of an answer that must have this status. */
  async expect(status: number, answer: Promise<Answer>): Promise<any> {
    const { status: actual, body } = await answer;
    if (actual !== status) {
      throw new Error(`Expected ${String(status)}, got ${String(actual)}: ${JSON.stringify(body)}`);
    }
    return body;
  }

  /** The fields for which a POST is refused, each with a list of messages. */
  async refusedFields(path: string, body: unknown): Promise<string[]> {
    const { error } = await this.expect(400, this.post(path, body));
    for (const messages of Object.values<unknown>(error)) {
      const isList = Array.isArray(messages) && messages.every((one) => typeof one === 'string');
      if (!isList || messages.length === 0)
        throw new Error(`No messages: ${JSON.stringify(error)}`);
    }
    return Object.keys(error).sort();
  }

  /** A new sandbox of the organisation (needs the live key) and a client for it. */
  async manualSandbox(startsAt: string): Promise<ApiClient> {
    const sandbox = await this.expect(
      201,
      this.post('/sandboxes', { name: 'test', clock: 'MANUAL', startsAt }),
    );
    return new ApiClient(this.gatewayUrl, sandbox.key as string);
  }

  /** Moves a manual clock and waits until all that fell due is done. */
  async advanceTo(to: string): Promise<{ now: string; processed: number }> {
    return this.expect(200, this.advance(to));
  }

  /** A jump goes on without the request that began it: where it takes long it is asked for again, and joined. */
  async advance(to: string): Promise<Answer> {
    for (let asked = 1; ; asked += 1) {
      try {
        const signal = AbortSignal.timeout(jumpAskedAgainAfterMs);
        return await this.request('POST', '/sandboxes/clock/advance', { body: { to }, signal });
      } catch (error) {
        if ((error as Error).name !== 'TimeoutError' || asked === jumpAskedMax) throw error;
        process.stderr.write(`The clock is on its way to ${to}; asked ${String(asked)} times\n`);
      }
    }
  }

  /** Every item of a list, page by page. */
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
