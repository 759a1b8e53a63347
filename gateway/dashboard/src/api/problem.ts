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
    },
  ) {
    super(message);
  }

  /** Whether nobody is signed in any more. */
  get isSessionOver(): boolean {
    return this.details.code === 'invalid_session';
  }

  /** Whether the same request may well succeed a little later. */
  get isPassing(): boolean {
    return [0, 503, 504].includes(this.details.status);
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
  });
}

/** No answer came: the network, or a gateway that is gone. */
export function noAnswer(): ApiProblem {
  const details = { status: 0, code: 'no_answer', fields: {}, requestId: undefined };
  return new ApiProblem('The server could not be reached', details);
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
