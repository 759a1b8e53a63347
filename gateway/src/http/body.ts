import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import express, { type Request, type Response } from 'express';
import { RequestError } from './error';
import { isStorableJson } from './json-text';

const bodyBytesMax = 256 * 1024;
const parseJson = express.json({
  limit: bodyBytesMax,
  strict: false,
  type: 'application/json',
  // Non-fatal decoding would insert replacement characters for invalid bytes.
  verify: (_request, _response, bytes) => {
    if (!isUtf8(bytes)) throw malformedJson();
  },
});

// Enough for a thousand usage events of one kilobyte.
const rawBytesMax = 1024 * 1024;
const readRaw = express.raw({ limit: rawBytesMax, type: 'application/json' });

/**
 * Reads the bytes of a JSON body, for a service that parses them. Empty for a request without a
 * body.
 */
export async function readBytes(request: Request, response: Response): Promise<Buffer> {
  if (!(await hasBody(request))) return Buffer.alloc(0);
  await read(request, response, readRaw);
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

/** Reads the JSON body; `{}` for a request without one. */
export async function parseBody(request: Request, response: Response): Promise<unknown> {
  if (!(await hasBody(request))) return {};
  await read(request, response, parseJson);
  const body: unknown = request.body;
  if (!isStorableJson(body)) throw malformedJson();
  return body === undefined ? {} : body;
}

/**
 * Reads the body of an unauthenticated request. A slow sender gets 408, and its connection is
 * closed.
 */
export async function readWithin<T>(ms: number, read: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(new RequestError(408, 'timed_out', 'Timed out', { Connection: 'close' }));
  }, ms);
  const reading = read();
  // Reads after the timeout fail with the connection.
  reading.catch(() => undefined);
  try {
    return await Promise.race([reading, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function read(request: Request, response: Response, reader: typeof parseJson): Promise<void> {
  if (request.is('application/json') === false || !isInUtf8(request)) throw unsupportedMediaType();
  await new Promise<void>((resolve, reject) => {
    reader(request, response, (error?: unknown) => {
      if (error === undefined) resolve();
      else reject(toRequestError(error));
    });
  });
}

/** True for the charset UTF-8, which is the default. */
function isInUtf8(request: Request): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.header('content-type') ?? '')?.[1];
  return charset === undefined || /^utf-8$/i.test(charset);
}

async function hasBody(request: Request): Promise<boolean> {
  const { headers } = request;
  if (headers['transfer-encoding'] === undefined) return Number(headers['content-length'] ?? 0) > 0;
  // A chunked body may be empty; a content type means that a body is intended.
  return headers['content-type'] !== undefined || (await hasChunks(request));
}

async function hasChunks(request: Request): Promise<boolean> {
  await once(request, 'readable');
  const chunk: unknown = request.read();
  if (chunk === null) return false;
  request.unshift(chunk);
  return true;
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
