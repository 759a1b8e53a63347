import { isUtf8 } from 'node:buffer';
import express, { type Request, type Response } from 'express';
import { RequestError } from './http-error';
import { isKeepable } from './json-text';

const bodyBytesMax = 256 * 1024;
const parseJson = express.json({
  limit: bodyBytesMax,
  strict: false,
  type: 'application/json',
  // Decoding would put replacement characters in the place of what is no text.
  verify: (_request, _response, bytes) => {
    if (!isUtf8(bytes)) throw malformedJson();
  },
});

/** The JSON body; `{}` for a request without one. */
export async function parseBody(request: Request, response: Response): Promise<unknown> {
  if (!hasBody(request)) return {};
  if (request.is('application/json') === false) {
    throw unsupportedMediaType();
  }
  await new Promise<void>((resolve, reject) => {
    parseJson(request, response, (error?: unknown) => {
      if (error === undefined) resolve();
      else reject(toRequestError(error));
    });
  });
  const body: unknown = request.body;
  if (!isKeepable(body)) throw malformedJson();
  return body === undefined ? {} : body;
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function toRequestError(error: unknown): RequestError {
  switch ((error as { type?: string }).type) {
    case 'entity.too.large':
      return new RequestError(413, 'request_too_large', 'Request body too large');
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return unsupportedMediaType();
    default:
      return malformedJson();
  }
}

function malformedJson(): RequestError {
  return new RequestError(400, 'malformed_json', 'Malformed JSON');
}

function unsupportedMediaType(): RequestError {
  return new RequestError(415, 'unsupported_media_type', 'Content-Type must be application/json');
}
