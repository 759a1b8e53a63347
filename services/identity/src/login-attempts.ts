import { DomainError } from '@billing/kernel/domain-error';

/** When somebody failed to sign in lately, or is trying to at this moment. */
export type Attempts = readonly Date[];

/** How many may fail in a while. */
export interface AttemptLimit {
  readonly max: number;
  readonly withinMs: number;
}

const quarterOfAnHourMs = 15 * 60 * 1_000;

/** Of one e-mail address, wherever they come from. */
export const perEmail: AttemptLimit = { max: 10, withinMs: quarterOfAnHourMs };

/** Of one network, whomever they are for. */
export const perNetwork: AttemptLimit = { max: 50, withinMs: quarterOfAnHourMs };

/**
 * With one more attempt at `now`. It is written down before the password is looked at, so that many at a time get no more tries than one
 * after another. Throws resource_exhausted where there were too many.
 */
export function attempt(attempts: Attempts, limit: AttemptLimit, now: Date): Date[] {
  const recent = recentOf(attempts, limit, now);
  if (recent.length >= limit.max) {
    throw new DomainError('resource_exhausted', 'TOO_MANY_LOGINS', 'Too many attempts; try later');
  }
  return [...recent, now];
}

/** Without one that turned out to be right. */
export function withdraw(attempts: Attempts, at: Date): Date[] {
  const index = attempts.findIndex((one) => one.getTime() === at.getTime());
  return index === -1 ? [...attempts] : attempts.toSpliced(index, 1);
}

/** What was last changed before holds nobody back any more. */
export function forgottenBefore(now: Date): Date {
  return new Date(now.getTime() - Math.max(perEmail.withinMs, perNetwork.withinMs));
}

function recentOf(attempts: Attempts, { withinMs }: AttemptLimit, now: Date): Date[] {
  return attempts.filter((at) => now.getTime() - at.getTime() < withinMs);
}
