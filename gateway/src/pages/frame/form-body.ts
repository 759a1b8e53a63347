import express, { type Request, type Response } from 'express';
import { readWithin } from '../../http/body';
import { RequestError } from '../../http/error';

// A card and an email address take a few hundred bytes.
const bodyBytesMax = 16 * 1024;
const fieldsMax = 20;
const bodyMsMax = 5_000;
const parseForm = express.urlencoded({
  extended: false,
  limit: bodyBytesMax,
  parameterLimit: fieldsMax,
});

/** Reads the fields of a form. They are never logged, and errors do not contain them. */
export async function readForm(
  request: Request,
  response: Response,
): Promise<ReadonlyMap<string, string>> {
  if (!hasBody(request)) return new Map();
  if (request.is('application/x-www-form-urlencoded') === false) throw unsupported();
  await readWithin(bodyMsMax, () => parse(request, response));
  const fields = Object.entries((request.body ?? {}) as Record<string, string | string[]>);
  // The first value of a repeated field counts.
  return new Map(fields.map(([name, value]) => [name, [value].flat()[0] ?? '']));
}

function parse(request: Request, response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    parseForm(request, response, (error?: unknown) => {
      if (error === undefined) resolve();
      else reject(toRequestError(error));
    });
  });
}

function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function toRequestError(error: unknown): RequestError {
  switch ((error as { type?: string }).type) {
    case 'entity.too.large':
    case 'parameters.too.many':
      return new RequestError(413, 'request_too_large', 'Request body too large');
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return unsupported();
    default:
      return new RequestError(400, 'invalid_request', 'Malformed form body');
  }
}

function unsupported(): RequestError {
  const message = 'Content-Type must be application/x-www-form-urlencoded';
  return new RequestError(415, 'unsupported_media_type', message);
}
