import { createHash } from 'node:crypto';
import type { Idempotency } from '@billing/chassis/call-context';
import { invalidInput } from '@billing/kernel/domain-error';
import { isStorableJson } from './json-text';

const keyLengthMax = 255;

/** Facts of a request that identify its retries. */
export interface RepeatableRequest {
  /** Value of the header `Idempotency-Key`. */
  readonly key: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/**
 * Idempotency key with the hash of the request, if any. Requests are equal if their parsed JSON is
 * equal.
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

/** SHA-256 of a request, equal for equal parsed JSON. */
export function requestHash({
  of = [],
  method,
  path,
  body,
}: Omit<RepeatableRequest, 'key'> & { readonly of?: readonly string[] }): string {
  const text = JSON.stringify([...of, method, path, inOrder(body)]);
  return createHash('sha256').update(text).digest('base64');
}

/** Comparable form of a body. Bytes are parsed if they contain JSON that is safe to traverse. */
export function comparableBody(body: unknown): unknown {
  if (!Buffer.isBuffer(body)) return body;
  const text = body.toString();
  try {
    const parsed: unknown = JSON.parse(text);
    return isStorableJson(parsed) ? parsed : text;
  } catch {
    return text;
  }
}

/** The value with sorted object keys. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, nested]) => [key, inOrder(nested)]));
}
