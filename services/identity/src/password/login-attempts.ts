import { DomainError } from '@billing/kernel/domain-error';

/** Times of failed sign-ins, and of those in progress. */
export type Attempts = readonly Date[];

/** Number of failures allowed within a time. */
export interface AttemptLimit {
  readonly max: number;
  readonly withinMs: number;
}

const quarterOfAnHourMs = 15 * 60 * 1_000;
const dayMs = 24 * 60 * 60 * 1_000;

/** For one email address from one network. */
export const perEmailAndNetwork: AttemptLimit = { max: 10, withinMs: quarterOfAnHourMs };
/** For one email address from all networks that are not known for it. */
export const perEmail: AttemptLimit = { max: 100, withinMs: quarterOfAnHourMs };
/** For one network and all email addresses for which it is not known. */
export const perNetwork: AttemptLimit = { max: 50, withinMs: quarterOfAnHourMs };
/**
 * For the codes of one operator, after the right password: from all networks together that are not
 * known for it, and from each known one. Of a million codes three are valid at a time.
 */
export const perSecondFactor: AttemptLimit = { max: 30, withinMs: dayMs };

/**
 * Time after a sign-in for which its network is known for the operator: attempts from other
 * networks do not lock it out.
 */
export const networkKnownMs = 30 * dayMs;

/**
 * Adds an attempt at `now`. It is recorded before the password is verified, so that concurrent
 * attempts get no more tries than consecutive ones. Throws resource_exhausted after too many, with
 * the seconds until the next one is allowed.
 */
export function attempt(attempts: Attempts, limit: AttemptLimit, now: Date): Date[] {
  const recent = recentOf(attempts, limit, now);
  if (recent.length >= limit.max) {
    throw new DomainError(
      'resource_exhausted',
      'TOO_MANY_LOGINS',
      'Too many attempts; try again later',
      {
        retryAfterSeconds: secondsToNext(recent, limit, now),
      },
    );
  }
  return [...recent, now];
}

/** Removes a successful attempt. */
export function withdraw(attempts: Attempts, at: Date): Date[] {
  const index = attempts.findIndex((one) => one.getTime() === at.getTime());
  return index === -1 ? [...attempts] : attempts.toSpliced(index, 1);
}

/** Time of the last change before which a record no longer limits any sign-in. */
export function deletableBefore(now: Date): Date {
  const longestMs = Math.max(
    ...[perEmail, perEmailAndNetwork, perNetwork, perSecondFactor].map((one) => one.withinMs),
  );
  return new Date(now.getTime() - longestMs);
}

function recentOf(attempts: Attempts, { withinMs }: AttemptLimit, now: Date): Date[] {
  return attempts.filter((at) => now.getTime() - at.getTime() < withinMs);
}

// The attempt that has to expire before another one fits: replicas may have recorded theirs in any
// order.
function secondsToNext(recent: Attempts, { max, withinMs }: AttemptLimit, now: Date): number {
  const times = recent.map((at) => at.getTime()).sort((a, b) => a - b);
  const leaving = times[times.length - max] ?? now.getTime();
  return Math.max(1, Math.ceil((leaving + withinMs - now.getTime()) / 1_000));
}
