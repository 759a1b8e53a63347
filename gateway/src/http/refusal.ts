import { STATUS_CODES } from 'node:http';
import type { HttpError } from './error';

const tooSlow: HttpError = { status: 408, code: 'timed_out', body: { error: 'Timed out' } };
const malformed: HttpError = {
  status: 400,
  code: 'invalid_request',
  body: { error: 'Malformed request' },
};

/**
 * Refusals by the error code of the HTTP parser. Other parser errors count as malformed requests.
 */
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

/** Refusal of a request without `Host`, which HTTP/1.1 requires. */
export const hostMissing: HttpError = {
  status: 400,
  code: 'invalid_request',
  body: { error: 'The header Host is required' },
};

/** Refusal of a request with several `Host` headers. */
export const hostTwice: HttpError = {
  status: 400,
  code: 'invalid_request',
  body: { error: 'The header Host must appear only once' },
};

/** Refusal of an unknown `Expect` header. */
export const expectationUnknown: HttpError = {
  status: 417,
  code: 'invalid_request',
  body: { error: 'Expectation failed' },
};

/** Refusal of bytes that are not a valid request. */
export function refusalOf(errorCode: string | undefined): HttpError {
  return refusals[errorCode ?? ''] ?? malformed;
}

/** Headers and body of a refusal, which closes the connection. */
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

/** Raw HTTP response of a refusal, for connections without a parsed request. */
export function refusalBytes(problem: HttpError, wanted: Readonly<Record<string, string>>): string {
  const { headers, body } = refusalParts(problem, wanted);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const { status } = problem;
  const first = `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`;
  return `${[first, ...lines].join('\r\n')}\r\n\r\n${body}`;
}
