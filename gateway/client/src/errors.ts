/** A field that an API refused, with the reasons. */
export type RefusedFields = Readonly<Record<string, readonly string[]>>;

/** Content of an error response. */
export interface ErrorAnswer {
  readonly status: number;
  /** Machine-readable reason: the header `Error-Code`. */
  readonly code: string | undefined;
  readonly fields: RefusedFields;
  readonly requestId: string | undefined;
  readonly traceId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

/** The API answered with an error. */
export class BillingError extends Error implements ErrorAnswer {
  override readonly name = 'BillingError';
  readonly status: number;
  readonly code: string | undefined;
  /** Refused fields, each with its reasons; empty unless the status is 400. */
  readonly fields: RefusedFields;
  readonly requestId: string | undefined;
  readonly traceId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, answer: ErrorAnswer) {
    super(message);
    this.status = answer.status;
    this.code = answer.code;
    this.fields = answer.fields;
    this.requestId = answer.requestId;
    this.traceId = answer.traceId;
    this.retryAfterSeconds = answer.retryAfterSeconds;
  }
}

/** No answer arrived, in any attempt. */
export class BillingConnectionError extends Error {
  override readonly name: string = 'BillingConnectionError';

  constructor(
    readonly attempts: number,
    cause: unknown,
    message = 'The connection to the API failed',
  ) {
    super(message, { cause });
  }
}

/** No answer arrived in time, in any attempt. */
export class BillingTimeoutError extends BillingConnectionError {
  override readonly name = 'BillingTimeoutError';

  constructor(attempts: number, cause: unknown) {
    super(attempts, cause, 'The API did not answer in time');
  }
}

/** Why a webhook was refused. */
export type VerificationFailure =
  | 'missing_header'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'no_matching_signature'
  | 'malformed_body';

/** A webhook is not what the API sent. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';

  constructor(readonly reason: VerificationFailure) {
    super(`The webhook was refused: ${reason}`);
  }
}

/** Reads the error of an answer: a text, or the refused fields. */
export function toBillingError({ status, headers }: Response, body: unknown): BillingError {
  const error = isRecord(body) ? body['error'] : undefined;
  const fields = isRecord(error) ? (error as RefusedFields) : {};
  const texts = Object.entries(fields).map(([field, reasons]) => `${field}: ${reasons.join(', ')}`);
  const message = typeof error === 'string' ? error : texts.join('; ');
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return new BillingError(message === '' ? `The API answered ${String(status)}` : message, {
    status,
    code: headers.get('error-code') ?? undefined,
    fields,
    requestId: headers.get('x-request-id') ?? undefined,
    traceId: headers.get('trace-id') ?? undefined,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
