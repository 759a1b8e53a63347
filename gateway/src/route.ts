import type { CallContext } from '@billing/chassis/call-context';
import type { Operation } from './openapi/operation';
import type { Peers } from './peers';

/** A request as a route sees it: authenticated and parsed, but not yet validated. */
export interface ApiRequest {
  /** From the path, by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** The JSON body, `{}` when there was none; its bytes where the route takes them. */
  readonly body: unknown;
  readonly context: CallContext;
  /**
   * From `If-Match`: the version that the caller has seen and wants to change; undefined for any.
   */
  readonly expectedVersion: bigint | undefined;
  readonly caller: RequestCaller;
}

/** What asks: an API key, or an operator on the dashboard. */
export interface RequestCaller {
  readonly type: 'KEY' | 'OPERATOR';
  readonly id: string;
}

/** What a route answers; errors are thrown. */
export interface ApiAnswer {
  readonly status: number;
  /**
   * JSON, or a Buffer or a stream with a Content-Type of its own among the headers. Absent: no
   * body.
   */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One operation of the API. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below /v1, with `:name` for parameters. */
  readonly path: string;
  /** How long the caller may have to wait. */
  readonly deadlineMs?: number;
  /** Whether it answers 500 where others tell 503 and 504. */
  readonly hidesUnavailability?: boolean;
  /** Whether it gets the body as it came: whoever keeps it reads it, and nobody before. */
  readonly takesBytes?: boolean;
  /** Whether it has a rate of its own, that of batches of usage events. */
  readonly isIngest?: boolean;
  /** Whether it changes nothing although it is a POST: a scope that reads is enough. */
  readonly readsOnly?: boolean;
  /**
   * Whether it waits for minutes, and takes a place among calls that wait in place of one among
   * those that work.
   */
  readonly waits?: boolean;
  /** Whether it deletes the environment that `:id` names: its keys end with the answer. */
  readonly endsKeys?: boolean;
  /** What the description of the API says of it. */
  readonly operation: Operation;
  readonly handle: (request: ApiRequest, peers: Peers) => Promise<ApiAnswer>;
}

/** The header `Allow` of a path with these methods: whatever answers GET answers HEAD. */
export function allowed(methods: readonly string[]): string {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
}

/** 201 with the new resource and where it is found. */
export function created(location: string, body: unknown, headers = {}): ApiAnswer {
  return { status: 201, body, headers: { ...headers, Location: `/v1${location}` } };
}

/** 200 with a body. */
export function ok(body: unknown, headers = {}): ApiAnswer {
  return { status: 200, body, headers };
}

/**
 * The header by which a caller names the version of a resource that it has seen. `count` stands for
 * what is shown beside the resource and changes without it.
 */
export function etag(version: bigint, count?: number): { ETag: string } {
  const counted = count === undefined ? '' : `.${String(count)}`;
  return { ETag: `"${String(version)}${counted}"` };
}

/** A path parameter that the route's own path names. */
export function param({ params }: Pick<ApiRequest, 'params'>, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`The path has no :${name}`);
  return value;
}

/** A secret as it is shown once; a repeated answer has none. */
export function secretOrNull(secret: string): string | null {
  return secret === '' ? null : secret;
}

/** What a peer's answer must hold. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The answer of a service lacks its resource');
  return value;
}
