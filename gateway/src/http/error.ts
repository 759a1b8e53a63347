import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { DomainError, type DomainErrorKind } from '@billing/kernel/domain-error';
import { allowed } from './method';

/** HTTP form of an error. */
export interface HttpError {
  readonly status: number;
  /** Value of the header `Error-Code`. */
  readonly code: string;
  readonly body: { readonly error: string | Readonly<Record<string, readonly string[]>> };
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error specific to HTTP, such as a malformed body. */
export class RequestError extends Error implements HttpError {
  readonly body: HttpError['body'];

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.body = { error: message };
  }
}

/** Error for an unknown path. */
export function notFound(): RequestError {
  return new RequestError(404, 'not_found', 'Not found');
}

/** Error for a method that a path does not support. */
export function methodNotAllowed(methods: readonly string[]): RequestError {
  const allow = { Allow: allowed(methods) };
  return new RequestError(405, 'method_not_allowed', 'Method not allowed', allow);
}

/** An error with additional response headers. */
export class HeadedError extends Error {
  constructor(
    cause: unknown,
    readonly headers: Readonly<Record<string, string>>,
  ) {
    super('Error with additional headers', { cause });
  }
}

const internalError: HttpError = {
  status: 500,
  code: 'internal',
  body: { error: 'Internal server error' },
};

// Seconds. A restarting replica is back by then.
const retryAfter = { 'Retry-After': '1' };

interface Row {
  readonly status: number;
  /** Defaults to the reason of the error in lower case. */
  readonly code?: string;
  /** Defaults to the message of the error. */
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Response of each kind of domain error. */
export const answerOfKind: Readonly<Record<DomainErrorKind, Row>> = {
  invalid_input: { status: 400, code: 'invalid_request' },
  unauthenticated: {
    status: 401,
    code: 'invalid_api_key',
    message: 'Invalid or expired API key',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  permission: {
    status: 403,
    code: 'insufficient_permissions',
    message: 'Insufficient permissions',
  },
  not_found: { status: 404 },
  already_exists: { status: 409 },
  failed_precondition: { status: 409, code: 'conflict' },
  gone: { status: 410 },
  stale: { status: 412, code: 'stale_version', message: 'Stale version' },
  idempotency_mismatch: { status: 422, code: 'idempotency_key_reused' },
  resource_exhausted: {
    status: 429,
    code: 'too_many_requests',
    message: 'Too many requests',
    headers: retryAfter,
  },
  unavailable: {
    status: 503,
    code: 'unavailable',
    message: 'Service unavailable',
    headers: retryAfter,
  },
};

// Reasons with a specific response.
const rowOfReason: Readonly<Record<string, Omit<Partial<Row>, 'status'>>> = {
  INVALID_CREDENTIALS: {
    code: 'invalid_credentials',
    message: 'Wrong email or password',
    headers: {},
  },
  SECOND_FACTOR_REQUIRED: {
    code: 'second_factor_required',
    message: 'Second factor required',
    headers: {},
  },
  INVALID_SECOND_FACTOR: {
    code: 'invalid_second_factor',
    message: 'Wrong or used code',
    headers: {},
  },
  PASSWORD_SIGN_IN_OFF: {
    code: 'password_sign_in_off',
    message: 'Your organization allows sign-in with its identity provider only',
  },
  INVALID_SESSION: { code: 'invalid_session', message: 'Not signed in', headers: {} },
  // The first request soon completes or is abandoned.
  IDEMPOTENCY_KEY_IN_USE: { code: 'idempotency_key_in_use', headers: retryAfter },
  SANDBOX_LIMIT_REACHED: { code: 'sandbox_limit_reached' },
  // A concurrent advance takes seconds.
  TOO_MANY_WAITING: { headers: { 'Retry-After': '5' } },
  TOO_MANY_JUMPS: { headers: { 'Retry-After': '5' } },
  PREVIEW_STALE: { code: 'preview_stale' },
  // An operator must free space first.
  STORAGE_FULL: { code: 'storage_full', headers: { 'Retry-After': '10' } },
  // A backup takes seconds, and the check after a restore minutes.
  WRITES_PAUSED: { code: 'writes_paused', headers: { 'Retry-After': '5' } },
  RECOVERING: { code: 'recovering', headers: { 'Retry-After': '30' } },
  MALFORMED_JSON: { code: 'malformed_json' },
  INVALID_REQUEST: { code: 'invalid_request' },
};

/** Converts unavailability to an internal error, for routes that must not reveal an outage. */
export function withoutUnavailability(problem: HttpError): HttpError {
  if (problem.status <= internalError.status) return problem;
  const retry = problem.headers?.['Retry-After'];
  return retry === undefined
    ? internalError
    : { ...internalError, headers: { 'Retry-After': retry } };
}

/** Converts any error to its HTTP form. The cause of a bug appears only in the log. */
export function toHttpError(error: unknown): HttpError {
  if (error instanceof RequestError) return error;
  if (error instanceof HeadedError) {
    const problem = toHttpError(error.cause);
    return { ...problem, headers: { ...problem.headers, ...error.headers } };
  }
  if (error instanceof DomainError) return fromDomainError(error);
  if (error instanceof DeadlineExceededError) {
    return { status: 504, code: 'timed_out', body: { error: 'Timed out' } };
  }
  return internalError;
}

function fromDomainError(error: DomainError): HttpError {
  const { kind, reason, message, fields, retryAfterSeconds } = error;
  const row = { ...answerOfKind[kind], ...rowOfReason[reason] };
  const text = row.message ?? message;
  return {
    status: row.status,
    code: row.code ?? reason.toLowerCase(),
    body: { error: kind === 'invalid_input' && fields !== undefined ? fields : text },
    headers: {
      ...row.headers,
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    },
  };
}

/**
 * Log fields of an error. For an unavailable service the reason suffices: the stack is always the
 * same, and such errors are frequent.
 */
export function loggedError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof DomainError) || error.kind !== 'unavailable') return { err: error };
  const { reason, cause } = error;
  return { reason, cause: cause instanceof Error ? cause.message : undefined };
}
