/** Response of a route. Errors are thrown. */
export interface ApiAnswer {
  readonly status: number;
  /** JSON body, or a Buffer or stream with a Content-Type header. Optional. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
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

/** A secret, or null in an idempotent replay. */
export function secretOrNull(secret: string): string | null {
  return secret === '' ? null : secret;
}

/** Asserts that a response of a service contains its resource. */
export function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The response of a service lacks its resource');
  return value;
}
