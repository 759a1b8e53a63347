import { createHash } from 'node:crypto';
import { staleVersion } from '@billing/kernel/domain-error';
import type { ApiAnswer } from './answer';

// Conditional requests. An ETag is the quoted version of a resource, with a count if part of the
// response changes without the version.

/**
 * Version in `If-Match`, undefined for any. Throws 412 for a value that cannot be one of our
 * versions.
 */
export function readIfMatch(header: string | undefined): bigint | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  const version = /^"(\d{1,18})(?:\.\d{1,10})?"$/.exec(header.trim())?.[1];
  if (version === undefined) throw staleVersion();
  return BigInt(version);
}

/** Tag of the content of a file, without quotes. */
export function contentTag(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
}

/** Replaces a resource by 304 if `If-None-Match` names its version. */
export function unlessMatched(header: string | undefined, answer: ApiAnswer): ApiAnswer {
  const tag = answer.headers?.ETag;
  if (header === undefined || tag === undefined || answer.status !== 200) return answer;
  const seen = header.split(',').map((one) => one.trim().replace(/^W\//, ''));
  const isSeen = seen.includes('*') || seen.includes(tag);
  return isSeen ? { status: 304, headers: withoutBody(answer.headers) } : answer;
}

// Caches update their entry from the headers of a 304, so the headers must be the same.
function withoutBody(headers: ApiAnswer['headers'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'Content-Type'));
}
