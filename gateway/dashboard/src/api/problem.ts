/** Messages by the field of the request that they are about. */
export type FieldProblems = Readonly<Record<string, readonly string[]>>;

/** An answer of the API that refuses or fails, as every page tells it. */
export class ApiProblem extends Error {
  constructor(
    message: string,
    readonly details: {
      /** 0 where there was no answer at all. */
      readonly status: number;
      /** The header `Error-Code`. */
      readonly code: string;
      readonly fields: FieldProblems;
      /** By which the log and the operators' helpers find the request; absent where there was no answer. */
      readonly requestId: string | undefined;
      /** By the header `Retry-After`. */
      readonly retryAfterMs?: number | undefined;
    },
  ) {
    super(message);
  }

  /** Whether nobody is signed in any more. */
  get isSessionOver(): boolean {
    return this.details.code === 'invalid_session';
  }

  /** Whether a request that changes something may or may not have done so. */
  get isOutcomeUnknown(): boolean {
    const { status, code } = this.details;
    return status === 0 || status >= 500 || code === 'idempotency_key_in_use';
  }

  /** What to do about it; undefined where the message says all. */
  get advice(): string | undefined {
    return undefined;
  }

  /** Whether the same request may well succeed a little later. */
  get isPassing(): boolean {
    return [0, 503, 504].includes(this.details.status);
  }
}

/** A request that changes something may or may not have done so. */
export class UnknownOutcome extends ApiProblem {
  constructor(
    { details }: ApiProblem,
    /** Whether it can be sent again without doing its work twice. */
    readonly isRepeatable: boolean,
  ) {
    super("We don't know yet whether this worked", details);
  }

  override get advice(): string {
    return this.isRepeatable ? 'Trying again is safe.' : 'Check before you try again.';
  }
}

/** What an answer that is no success says: `{error: "text"}`, or `{error: {field: ["text"]}}`. */
export function problemOf(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: unknown,
): ApiProblem {
  const said = (body as { error?: unknown } | undefined)?.error;
  const fields = isFieldProblems(said) ? said : {};
  const message = typeof said === 'string' ? said : sentenceOf(status, fields);
  return new ApiProblem(message, {
    status,
    code: headers.get('error-code') ?? 'unknown',
    fields,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: secondsIn(headers.get('retry-after')),
  });
}

/** No answer came: the network, or a gateway that is gone. */
export function noAnswer(): ApiProblem {
  const details = { status: 0, code: 'no_answer', fields: {}, requestId: undefined };
  return new ApiProblem('The server could not be reached', details);
}

function secondsIn(header: string | null): number | undefined {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) * 1_000 : undefined;
}

function sentenceOf(status: number, fields: FieldProblems): string {
  if (Object.keys(fields).length > 0) return 'Some of this was not accepted';
  return `The server answered ${String(status)}`;
}

function isFieldProblems(said: unknown): said is FieldProblems {
  return (
    typeof said === 'object' &&
    said !== null &&
    Object.values(said).every((messages) => Array.isArray(messages))
  );
}
