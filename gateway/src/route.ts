import type { CallContext } from '@billing/chassis/call-context';
import type { Operation } from './openapi/operation';
import type { Peers } from './peers';

/** An authenticated and parsed but not yet validated request. */
export interface ApiRequest {
  /** Path parameters by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** JSON body, `{}` if there was none. The bytes for routes with `readsBytes`. */
  readonly body: unknown;
  readonly context: CallContext;
  /** Version from `If-Match` that the caller wants to change; undefined for any. */
  readonly expectedVersion: bigint | undefined;
  readonly caller: RequestCaller;
}

/** Caller of a request: an API key or an operator of the dashboard. */
export interface RequestCaller {
  readonly type: 'KEY' | 'OPERATOR';
  readonly id: string;
}

/** Response of a route. Errors are thrown. */
export interface ApiAnswer {
  readonly status: number;
  /** JSON body, or a Buffer or stream with a Content-Type header. Optional. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An operation of the API. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below /v1, with `:name` for parameters. */
  readonly path: string;
  /** Deadline of the request. */
  readonly deadlineMs?: number;
  /** True if the route returns 500 in place of 503 and 504. */
  readonly hidesUnavailability?: boolean;
  /** True if the route receives the raw bytes of the body, which the owning service parses. */
  readonly readsBytes?: boolean;
  /** True for batches of usage events, which have a separate rate limit. */
  readonly isIngest?: boolean;
  /** True for a POST without side effects, for which a read scope suffices. */
  readonly readsOnly?: boolean;
  /** True if the route waits for minutes. It then counts towards the limit of waiting calls. */
  readonly waits?: boolean;
  /** True if the route deletes the environment `:id`, whose keys end with the response. */
  readonly endsKeys?: boolean;
  /** Description in the API document. */
  readonly operation: Operation;
  readonly handle: (request: ApiRequest, peers: Peers) => Promise<ApiAnswer>;
}

/** Header `Allow` for these methods. GET implies HEAD. */
export function allowed(methods: readonly string[]): string {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}

/** 201 with the new resource and its location. */
export function created(location: string, body: unknown, headers = {}): ApiAnswer {
  return { status: 201, body, headers: { ...headers, Location: `/v1${location}` } };
}

/** 200 with a body. */
export function ok(body: unknown, headers = {}): ApiAnswer {
  return { status: 200, body, headers };
}

/**
 * ETag of a resource version. `count` represents parts of the response that change without the
 * version.
 */
export function etag(version: bigint, count?: number): { ETag: string } {
  const counted = count === undefined ? '' : `.${String(count)}`;
  return { ETag: `"${String(version)}${counted}"` };
}

/** Value of a path parameter. */
export function param({ params }: Pick<ApiRequest, 'params'>, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`The path has no :${name}`);
  return value;
}

/** A secret, or null in an idempotent replay. */
export function secretOrNull(secret: string): string | null {
  return secret === '' ? null : secret;
}

/** Asserts that a response of a service contains its resource. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The response of a service lacks its resource');
  return value;
}
