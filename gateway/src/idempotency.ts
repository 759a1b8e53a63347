import { createHash } from 'node:crypto';
import type { Idempotency } from '@billing/chassis/call-context';
import { invalidInput } from '@billing/kernel/domain-error';
import { isKeepable } from './json-text';

const keyLengthMax = 255;

/** What a request says of its repeats. */
export interface RepeatableRequest {
  /** The header `Idempotency-Key`. */
  readonly key: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/**
 * The key under which a request may be repeated; undefined without one. Requests are the same when
 * their parsed JSON is.
 */
export function readIdempotency(
  { key, method, path, body }: RepeatableRequest,
  onReplayed: () => void,
): Idempotency | undefined {
  if (key === undefined || key === '') return undefined;
  if (key.length > keyLengthMax) {
    throw invalidInput({
      'Idempotency-Key': [`Must be at most ${String(keyLengthMax)} characters`],
    });
  }
  return { key, requestHash: requestHash({ method, path, body }), onReplayed };
}

/** SHA-256 of what requests are compared by: equal for equal parsed JSON. */
export function requestHash({
  of = [],
  method,
  path,
  body,
}: Omit<RepeatableRequest, 'key'> & { readonly of?: readonly string[] }): string {
  const text = JSON.stringify([...of, method, path, inOrder(body)]);
  return createHash('sha256').update(text).digest('base64');
}

/**
 * A body as it is compared: one that was passed on as bytes by what it says, if that is anything
 * that could be walked.
 */
export function comparableBody(body: unknown): unknown {
  if (!Buffer.isBuffer(body)) return body;
  const text = body.toString();
  try {
    const parsed: unknown = JSON.parse(text);
    return isKeepable(parsed) ? parsed : text;
  } catch {
    return text;
  }
}

/** The same value with the keys of every object in one order. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, nested]) => [key, inOrder(nested)]));
}
