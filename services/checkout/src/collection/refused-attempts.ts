import { DomainError } from '@billing/kernel/domain-error';

/** Limit of refused payments of one invoice or session for one client address within an hour. */
const refusedMax = 10;
const withinMs = 60 * 60 * 1000;

/**
 * Throws resource_exhausted after too many recent refusals, with the seconds until the next attempt
 * is allowed.
 */
export function checkRefused(refusedAt: readonly Date[], now: Date): void {
  const recent = recentOf(refusedAt, now);
  const leaving = recent.at(-refusedMax);
  if (leaving === undefined) return;
  const retryAfterSeconds = Math.ceil((leaving.getTime() + withinMs - now.getTime()) / 1000);
  const message = 'Too many payments were declined; try again later';
  throw new DomainError('resource_exhausted', 'TOO_MANY_REFUSED_PAYMENTS', message, {
    retryAfterSeconds: Math.max(1, retryAfterSeconds),
  });
}

/** Adds an attempt at `now`, at a time of its own, and drops those that no longer count. */
export function countAttempt(
  refusedAt: readonly Date[],
  now: Date,
): { readonly refusedAt: readonly Date[]; readonly at: Date } {
  const latest = Math.max(...refusedAt.map((at) => at.getTime() + 1), now.getTime());
  const at = new Date(latest);
  return { refusedAt: [...recentOf(refusedAt, now), at], at };
}

/** Removes an attempt that was not refused. */
export function withdrawAttempt(refusedAt: readonly Date[], at: Date): readonly Date[] {
  return refusedAt.filter((each) => each.getTime() !== at.getTime());
}

/** Time before which refusals no longer count. */
export function countedSince(now: Date): Date {
  return new Date(now.getTime() - withinMs);
}

function recentOf(refusedAt: readonly Date[], now: Date): Date[] {
  return refusedAt.filter((at) => at > countedSince(now)).sort((a, b) => a.getTime() - b.getTime());
}
