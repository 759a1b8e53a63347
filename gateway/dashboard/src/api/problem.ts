/** Error messages by request field. */
export type FieldProblems = Readonly<Record<string, readonly string[]>>;

/** Error response of the API, or a missing response, in the form that pages show. */
export class ApiProblem extends Error {
  constructor(
    message: string,
    readonly details: {
      /** 0 if no response arrived. */
      readonly status: number;
      /** The header `Error-Code`. */
      readonly code: string;
      readonly fields: FieldProblems;
      /** Finds the request in the logs; absent if no response arrived. */
      readonly requestId: string | undefined;
      /** From the header `Retry-After`. */
      readonly retryAfterMs?: number | undefined;
    },
  ) {
    super(message);
  }

  /** True if the session has ended. */
  get isSessionOver(): boolean {
    return this.details.code === 'invalid_session';
  }

  /** True if the organization requires a second factor that the operator must set up first. */
  get isFactorMissing(): boolean {
    return this.details.code === 'second_factor_missing';
  }

  /** True if the system is closed until a restore was checked. */
  get isRecovering(): boolean {
    return this.details.code === 'recovering';
  }

  /** True if nothing has the id of the request, or another organization owns it. */
  get isNotFound(): boolean {
    return this.details.status === 404;
  }

  /** True if a write may or may not have taken effect. */
  get isOutcomeUnknown(): boolean {
    const { status, code } = this.details;
    return status === 0 || status >= 500 || code === 'idempotency_key_in_use';
  }

  /**
   * Id that finds the request of a fault in the logs. A refusal says itself what to correct, so it
   * has none.
   */
  get faultId(): string | undefined {
    const { status, requestId } = this.details;
    return status >= 500 ? requestId : undefined;
  }

  /** Next step for the reader; undefined if the message is enough. */
  get advice(): string | undefined {
    return undefined;
  }

  /** True if the same request is likely to succeed a little later. */
  get isTransient(): boolean {
    return [0, 503, 504].includes(this.details.status);
  }
}

/** Failure of a write that may or may not have taken effect. */
export class UnknownOutcome extends ApiProblem {
  constructor(
    { details }: ApiProblem,
    /** True if the request can be sent again without taking effect twice. */
    readonly isRepeatable: boolean,
  ) {
    super("We don't know yet whether this worked", details);
  }

  override get advice(): string {
    return this.isRepeatable ? 'Trying again is safe.' : 'Check before you try again.';
  }
}

/** Reads an error response: `{error: "text"}`, or `{error: {field: ["text"]}}`. */
export function problemOf(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: unknown,
): ApiProblem {
  const said = (body as { error?: unknown } | undefined)?.error;
  const fields = isFieldProblems(said) ? said : {};
  const message = typeof said === 'string' ? said : defaultMessage(status, fields);
  return new ApiProblem(message, {
    status,
    code: headers.get('error-code') ?? 'unknown',
    fields,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: secondsIn(headers.get('retry-after')),
  });
}

/** A field that a form refuses before it sends a request. */
export function fieldProblem(field: string, message: string): ApiProblem {
  return fieldsProblem({ [field]: [message] });
}

/** Fields that a form refuses before it sends a request. */
export function fieldsProblem(fields: FieldProblems): ApiProblem {
  return new ApiProblem('Please fix the fields below', {
    status: 400,
    code: 'invalid_request',
    fields,
    requestId: undefined,
  });
}

/** No response arrived: the network failed, or the gateway is down. */
export function noAnswer(): ApiProblem {
  const details = { status: 0, code: 'no_answer', fields: {}, requestId: undefined };
  return new ApiProblem('The server could not be reached', details);
}

function secondsIn(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : undefined;
}

function defaultMessage(status: number, fields: FieldProblems): string {
  if (Object.keys(fields).length > 0) return 'Please fix the fields below';
  return `The server responded with status ${String(status)}`;
}

function isFieldProblems(said: unknown): said is FieldProblems {
  return (
    typeof said === 'object' &&
    said !== null &&
    Object.values(said).every((messages) => Array.isArray(messages))
  );
}
