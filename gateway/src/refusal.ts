import { STATUS_CODES } from 'node:http';
import type { HttpError } from './http-error';

const tooSlow: HttpError = { status: 408, code: 'timed_out', body: { error: 'Timed out' } };
const malformed: HttpError = {
  status: 400,
  code: 'invalid_request',
  body: { error: 'Malformed request' },
};

/** By the code of the parser's error; whatever else it finds is malformed. */
const refusals: Readonly<Record<string, HttpError>> = {
  ERR_HTTP_REQUEST_TIMEOUT: tooSlow,
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'request_too_large',
    body: { error: 'Request headers too large' },
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'request_too_large',
    body: { error: 'Request body too large' },
  },
};

/** HTTP/1.1 requires `Host`. */
export const hostMissing: HttpError = {
  status: 400,
  code: 'invalid_request',
  body: { error: 'The header Host is required' },
};

/** HTTP/1.1 allows it once. */
export const hostTwice: HttpError = {
  status: 400,
  code: 'invalid_request',
  body: { error: 'The header Host must appear only once' },
};

/** For an `Expect` that is none of HTTP's. */
export const expectationUnknown: HttpError = {
  status: 417,
  code: 'invalid_request',
  body: { error: 'Expectation failed' },
};

/** What a caller is told whose bytes never became a request. */
export function refusalOf(errorCode: string | undefined): HttpError {
  return refusals[errorCode ?? ''] ?? malformed;
}

/** Headers and body of a refusal, after which the connection ends. */
export function refusalParts(
  { code, body }: HttpError,
  headers: Readonly<Record<string, string>>,
): { headers: Readonly<Record<string, string>>; body: string } {
  const text = JSON.stringify(body);
  return {
    headers: {
      ...headers,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(text)),
      'Error-Code': code,
      Connection: 'close',
    },
    body: text,
  };
}

/** The same as bytes on the wire, where there is no request that could be answered. */
export function refusalBytes(problem: HttpError, wanted: Readonly<Record<string, string>>): string {
  const { headers, body } = refusalParts(problem, wanted);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const { status } = problem;
  const first = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`;
  return `${[first, ...lines].join('\r\n')}\r\n\r\n${body}`;
}
