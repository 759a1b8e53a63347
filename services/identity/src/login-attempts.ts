import { DomainError } from '@billing/kernel/domain-error';

/** Times of sign-ins that failed, or that are being decided at this moment. */
export type Attempts = readonly Date[];

/** How many may fail in a while. */
export interface AttemptLimit {
  readonly max: number;
  readonly withinMs: number;
}

const quarterOfAnHourMs = 15 * 60 * 1_000;
const dayMs = 24 * 60 * 60 * 1_000;

/** Of one e-mail address from one network. */
export const perEmailAndNetwork: AttemptLimit = { max: 10, withinMs: quarterOfAnHourMs };
/** Of one e-mail address from all networks that are not known for it. */
export const perEmail: AttemptLimit = { max: 100, withinMs: quarterOfAnHourMs };
/** Of one network for all e-mail addresses. */
export const perNetwork: AttemptLimit = { max: 50, withinMs: quarterOfAnHourMs };

/** For so long after a sign-in its network is known for the operator: attempts from other networks do not lock it out. */
export const networkKnownMs = 30 * dayMs;

/**
 * With one more attempt at `now`. It is written down before the password is looked at, so that many at a time get no more tries than one
 * after another. Throws resource_exhausted where there were too many, with the seconds until the next one may be made.
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

/** Without one that turned out to be right. */
export function withdraw(attempts: Attempts, at: Date): Date[] {
  const index = attempts.findIndex((one) => one.getTime() === at.getTime());
  return index === -1 ? [...attempts] : attempts.toSpliced(index, 1);
}

/** What was last changed before no longer limits any sign-in. */
export function forgottenBefore(now: Date): Date {
  const longestMs = Math.max(
    ...[perEmail, perEmailAndNetwork, perNetwork].map((one) => one.withinMs),
  );
  return new Date(now.getTime() - longestMs);
}

function recentOf(attempts: Attempts, { withinMs }: AttemptLimit, now: Date): Date[] {
  return attempts.filter((at) => now.getTime() - at.getTime() < withinMs);
}

// The attempt that has to become old before another one fits: replicas may have written theirs in any order.
function secondsToNext(recent: Attempts, { max, withinMs }: AttemptLimit, now: Date): number {
  const times = recent.map((at) => at.getTime()).sort((a, b) => a - b);
  const leaving = times[times.length - max] ?? now.getTime();
  return Math.max(1, Math.ceil((leaving + withinMs - now.getTime()) / 1_000));
}
