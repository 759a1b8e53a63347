/**
 * Kinds of errors by the possible reaction of a caller; each maps to one gRPC and one HTTP status.
 */
export type DomainErrorKind =
  | 'invalid_input'
  | 'permission'
  | 'not_found'
  | 'already_exists'
  | 'failed_precondition'
  | 'stale'
  | 'gone'
  | 'idempotency_mismatch'
  | 'resource_exhausted'
  | 'unavailable'
  | 'unauthenticated';

/** Messages by field name, such as `{ email: ['Invalid email'] }`. */
export type FieldErrors = Record<string, string[]>;

/** `cause` is only logged and never leaves the process. */
export interface DomainErrorOptions {
  readonly fields?: FieldErrors;
  /** Whole seconds after which the same call may succeed; undefined if unknown. */
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/**
 * Error that the caller may read. Programs match on `reason`, which is UPPER_SNAKE and stable;
 * `message` is for people. A broken invariant is a bug and throws a plain Error instead.
 */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly kind: DomainErrorKind;
  readonly reason: string;
  readonly fields: FieldErrors | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    kind: DomainErrorKind,
    reason: string,
    message: string,
    { fields, retryAfterSeconds, cause }: DomainErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.reason = reason;
    this.fields = fields;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Refuses a request with invalid fields, which the error lists. */
export function invalidInput(fields: FieldErrors): DomainError {
  return new DomainError('invalid_input', 'INVALID_REQUEST', 'Invalid request', { fields });
}

/**
 * Reports that a resource is unknown: it never existed or belongs to another environment.
 * `resource` is its name in prose: 'Webhook endpoint' gives the reason WEBHOOK_ENDPOINT_NOT_FOUND.
 */
export function notFound(resource: string): DomainError {
  const reason = `${resource.toUpperCase().replaceAll(' ', '_')}_NOT_FOUND`;
  return new DomainError('not_found', reason, `${resource} not found`);
}

/** Refuses a change of another version than the expected one (`If-Match`). */
export function staleVersion(): DomainError {
  return new DomainError('stale', 'STALE_VERSION', 'Stale version');
}

/** True for an error that is the outcome: a retry of the same work would be refused, too. */
export function isRefusal(error: unknown): boolean {
  return error instanceof DomainError && error.kind !== 'unavailable';
}

export function isNotFound(error: unknown): boolean {
  return error instanceof DomainError && error.kind === 'not_found';
}

/** Returns the requested resource; undefined if its owner reports that it does not exist. */
export async function unlessNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
