import { DomainError } from '@billing/kernel/domain-error';
import type { ApiAnswer } from './route';

// Conditional requests: an ETag is the version of a resource in quotes, where need be with a count
// that changes without it.

/**
 * The version in `If-Match`, undefined where any will do. What names no version of ours can match
 * none: 412.
 */
export function readIfMatch(header: string | undefined): bigint | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  const version = /^"(\d{1,18})(?:\.\d{1,10})?"$/.exec(header.trim())?.[1];
  if (version === undefined) throw new DomainError('stale', 'STALE_VERSION', 'Stale version');
  return BigInt(version);
}

/** 304 in place of a resource that the caller has already, by its `If-None-Match`. */
export function unlessMatched(header: string | undefined, answer: ApiAnswer): ApiAnswer {
  const tag = answer.headers?.ETag;
  if (header === undefined || tag === undefined || answer.status !== 200) return answer;
  const seen = header.split(',').map((one) => one.trim().replace(/^W\//, ''));
  const isSeen = seen.includes('*') || seen.includes(tag);
  return isSeen ? { status: 304, headers: withoutBody(answer.headers) } : answer;
}

// What is kept takes on the headers of a 304: they must say the same of it.
function withoutBody(headers: ApiAnswer['headers'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'Content-Type'));
}
