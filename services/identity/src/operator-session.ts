import { DomainError } from '@billing/kernel/domain-error';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import type { Operator } from './operator';

/** An operator who has signed in. Its token is kept nowhere; its id derives from the token's HMAC. */
export interface OperatorSession {
  readonly id: string;
  readonly operatorId: string;
  /** Of the operator when the session was opened, or since a change that it made itself. */
  readonly generation: number;
  /** Real time at which it ends, used or not. */
  readonly expiresAt: Date;
  /** Real time of a use, at most a few minutes before the last one. */
  readonly lastUsedAt: Date;
  /** Real time of a log-out. */
  readonly endedAt: Date | undefined;
  /** Where the sign-in came from; undefined for one of a release that did not keep it. */
  readonly origin: Origin | undefined;
}

/** Where a request of an operator comes from. */
export interface Origin {
  /** What counts as one address for limits. */
  readonly network: string;
  readonly address: string;
  readonly userAgent: string;
}

const hourMs = 60 * 60 * 1_000;
const lifetimeMs = 7 * 24 * hourMs;
const idleMsMax = 12 * hourMs;
// Every call falls to a session's one document: it takes one write in so long.
const useNotedEveryMs = 5 * 60 * 1_000;

/** A new session; `now` is real time. */
export function openSession(
  id: string,
  { operator, origin }: { readonly operator: Operator; readonly origin: Origin | undefined },
  now: Date,
): Transition<OperatorSession> {
  const { id: operatorId, sessionGeneration: generation } = operator;
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  const times = { expiresAt, lastUsedAt: now, endedAt: undefined };
  return only({ id, operatorId, generation, ...times, origin });
}

/** Whether the session opens anything to its operator at real time `now`. */
export function isOpen(session: OperatorSession, operator: Operator, now: Date): boolean {
  const { endedAt, expiresAt, lastUsedAt, operatorId, generation } = session;
  return (
    operator.active &&
    operatorId === operator.id &&
    generation === operator.sessionGeneration &&
    endedAt === undefined &&
    now < expiresAt &&
    now.getTime() - lastUsedAt.getTime() < idleMsMax
  );
}

/** Remembers a use at real time `now`, unless one of the last minutes is known. */
export function noteSessionUse(session: OperatorSession, now: Date): Transition<OperatorSession> {
  if (now.getTime() - session.lastUsedAt.getTime() < useNotedEveryMs) return unchanged(session);
  return only({ ...session, lastUsedAt: now });
}

/** Keeps a session whose own operator has ended all others. */
export function keepSession(
  session: OperatorSession,
  { sessionGeneration: generation }: Operator,
): Transition<OperatorSession> {
  return generation === session.generation ? unchanged(session) : only({ ...session, generation });
}

/** Ends the session; a repeat changes nothing. */
export function endSession(session: OperatorSession, now: Date): Transition<OperatorSession> {
  return session.endedAt === undefined ? only({ ...session, endedAt: now }) : unchanged(session);
}

/** One answer whatever is wrong with a session. */
export function invalidSession(): DomainError {
  return new DomainError('unauthenticated', 'INVALID_SESSION', 'The session has expired');
}
