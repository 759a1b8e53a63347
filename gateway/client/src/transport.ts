import {
  BillingConnectionError,
  BillingError,
  BillingTimeoutError,
  toBillingError,
} from './errors';
import { isRetried, sleep, waitMs } from './retry';

/** Settings of a client. */
export interface BillingOptions {
  readonly apiKey: string;
  /** Origin of the gateway, e.g. `https://pay.example.com`. */
  readonly baseUrl: string;
  /** Time of each attempt; 30 seconds by default. */
  readonly timeoutMs?: number;
  /** Attempts after the first; 3 by default. */
  readonly maxRetries?: number;
  readonly fetch?: typeof fetch;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Settings of one call. */
export interface CallOptions {
  /** Replaces the key that the client makes for each POST and PATCH. */
  readonly idempotencyKey?: string;
  /** The `ETag` that the resource must still have. */
  readonly ifMatch?: string;
  readonly timeoutMs?: number;
  /** Ends the call, and any wait between its attempts. */
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Status, headers and ids of the response that had a result. */
export interface ResponseInfo {
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  readonly traceId: string | undefined;
  /** True if this is the answer of an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

/** A request of an operation. */
export interface Call {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body?: unknown;
  /** The API goes on after a timeout or 504, so that a retry joins it and does not count. */
  readonly joins?: boolean;
  /** The answer may take an hour, and a retry would read it from its beginning again. */
  readonly isExport?: boolean;
  readonly options: CallOptions;
}

const timeoutMsDefault = 30_000;
const exportTimeoutMsDefault = 60 * 60_000;
const maxRetriesDefault = 3;

/** Sends requests, retries those that may succeed later, and reads their answers. */
export class Transport {
  // Not a property that an inspection or a serialisation would print.
  readonly #apiKey: string;
  readonly #options: Omit<BillingOptions, 'apiKey'>;

  constructor({ apiKey, ...options }: BillingOptions) {
    // A header that cannot be sent would appear in the message of its error.
    if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new TypeError('apiKey is not valid');
    }
    this.#apiKey = apiKey;
    this.#options = { ...options, baseUrl: new URL(options.baseUrl).href.replace(/\/+$/, '') };
  }

  /** Returns the JSON of the answer, its bytes if it is no JSON, or undefined if it is empty. */
  async send(call: Call): Promise<unknown> {
    const headers = this.#headersOf(call);
    const maxRetries = call.isExport === true ? 0 : (this.#options.maxRetries ?? maxRetriesDefault);
    for (let failures = 0, attempts = 1; ; attempts += 1) {
      const outcome = await this.#attempt(call, { headers, attempts });
      if (!(outcome instanceof Error)) return outcome.result;
      const isAnswered = outcome instanceof BillingError;
      if (isAnswered && !isRetried(outcome)) throw outcome;
      const isLate = isAnswered ? outcome.status === 504 : outcome instanceof BillingTimeoutError;
      if (!(isLate && call.joins === true)) failures += 1;
      if (failures > maxRetries) throw outcome;
      const retryAfterSeconds = isAnswered ? outcome.retryAfterSeconds : undefined;
      // eslint-disable-next-line no-restricted-syntax -- the client has no other source of chance
      const wait = waitMs({ failures: Math.max(failures, 1), retryAfterSeconds }, Math.random());
      await sleep(wait, call.options.signal);
    }
  }

  #headersOf({ method, body, options }: Call): Headers {
    const isChange = method === 'POST' || method === 'PATCH';
    const key = options.idempotencyKey ?? crypto.randomUUID();
    const headers = new Headers(this.#options.headers);
    // Names differ in case: each header is set, so that a later value replaces an earlier one.
    const later = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(isChange && { 'idempotency-key': key }),
      ...(options.ifMatch !== undefined && { 'if-match': options.ifMatch }),
    };
    for (const [name, value] of Object.entries(later)) headers.set(name, value);
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
    headers.set('authorization', `Bearer ${this.#apiKey}`);
    return headers;
  }

  /** A failure that may be retried is returned; only the caller's own abort is thrown. */
  async #attempt(
    { method, path, body, isExport, options }: Call,
    { headers, attempts }: { headers: Headers; attempts: number },
  ): Promise<{ result: unknown } | BillingError | BillingConnectionError> {
    const { baseUrl, fetch: send = fetch } = this.#options;
    const timeoutMs =
      options.timeoutMs ??
      (isExport === true ? exportTimeoutMsDefault : this.#options.timeoutMs) ??
      timeoutMsDefault;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    options.signal?.throwIfAborted();
    try {
      const response = await send(`${baseUrl}${path}`, {
        method,
        headers,
        signal,
        // A redirect is an answer, never followed: the key is for this address alone.
        redirect: 'manual',
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const content = await contentOf(response);
      return response.ok
        ? { result: withInfo(content, response) }
        : toBillingError(response, content);
    } catch (error) {
      options.signal?.throwIfAborted();
      const Failure = timeout.aborted ? BillingTimeoutError : BillingConnectionError;
      return new Failure(attempts, error);
    }
  }
}

async function contentOf(response: Response): Promise<unknown> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length === 0) return undefined;
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  if (!isJson) return bytes;
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch (error) {
    // An error is known by its status; proxies answer with pages that are no JSON.
    if (!response.ok) return undefined;
    throw error;
  }
}

/** Adds the property `response`, which neither JSON nor a loop over the result shows. */
function withInfo(content: unknown, { status, headers }: Response): unknown {
  if (typeof content !== 'object' || content === null) return content;
  const info: ResponseInfo = {
    status,
    headers,
    requestId: headers.get('x-request-id') ?? undefined,
    traceId: headers.get('trace-id') ?? undefined,
    replayed: headers.get('idempotent-replayed') === 'true',
  };
  return Object.defineProperty(content, 'response', { value: info, enumerable: false });
}
