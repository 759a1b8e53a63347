import { noAnswer, problemOf } from './problem';

/** Query string values; undefined and empty values are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A request to `/v1/…` or `/dashboard/api/…`; the browser adds the session's cookie. */
export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Query;
  readonly body?: unknown;
  /** Environment of the request; absent for requests outside all environments, such as sign-in. */
  readonly environmentId?: string | undefined;
  /** Makes a request that is sent twice take effect once. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** One page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly total: number;
  /** True if there are more items than `total`; absent in lists with exact counts. */
  readonly totalIsMore?: boolean;
  /** Oldest time that the search reached; absent or null: the whole list was searched. */
  readonly searchedSince?: string | null;
  readonly page: number;
  readonly perPage: number;
}

/** Sends a request. Throws ApiProblem unless the response is a success. */
export async function send(request: ApiRequest): Promise<unknown> {
  const response = await fetchResponse(request);
  const text = await response.text().catch(() => {
    throw noAnswer();
  });
  const body = readJson(text);
  if (!response.ok) throw problemOf(response, body);
  return body;
}

/** URL of a request, with its query. */
export function addressOf(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  }
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}

/** New value for `Idempotency-Key`. */
export function newIdempotencyKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

async function fetchResponse(request: ApiRequest): Promise<Response> {
  const { method = 'GET', path, query, body, signal } = request;
  try {
    return await fetch(addressOf(path, query), {
      method,
      headers: headersOf(request),
      credentials: 'same-origin',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    throw noAnswer();
  }
}

function headersOf({ method, environmentId, idempotencyKey }: ApiRequest): Record<string, string> {
  return {
    Accept: 'application/json',
    ...(method !== undefined && { 'Content-Type': 'application/json' }),
    ...(environmentId !== undefined && { 'Environment-Id': environmentId }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  };
}

function readJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
