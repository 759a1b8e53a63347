import { DomainError } from '@billing/kernel/domain-error';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import type { Operator } from './operator';

/** A signed-in operator. Its token is not stored; its id derives from the token's HMAC. */
export interface OperatorSession {
  readonly id: string;
  readonly operatorId: string;
  /**
   * The operator's generation when the session was opened, or after a change made by the session
   * itself.
   */
  readonly generation: number;
  /** Real time at which it ends, used or not. */
  readonly expiresAt: Date;
  /** Real time of a recorded use, at most a few minutes before the last one. */
  readonly lastUsedAt: Date;
  /** Real time of the sign-out. */
  readonly endedAt: Date | undefined;
  /** Origin of the sign-in; undefined for sessions of releases that did not store it. */
  readonly origin: Origin | undefined;
  /** True if the identity provider authenticated the operator, which asks for its own factors. */
  readonly isByProvider: boolean;
}

/** The origin of an operator's request. */
export interface Origin {
  /** Counted as one address by the limits. */
  readonly network: string;
  readonly address: string;
  readonly userAgent: string;
}

const hourMs = 60 * 60 * 1_000;
const lifetimeMs = 7 * 24 * hourMs;
const idleMsMax = 12 * hourMs;
// Every call concerns a session's one document: it is written once in this time.
const useRecordedEveryMs = 5 * 60 * 1_000;

/** Opens a session; `now` is real time. */
export function openSession(
  id: string,
  {
    operator,
    origin,
    isByProvider,
  }: {
    readonly operator: Operator;
    readonly origin: Origin | undefined;
    readonly isByProvider: boolean;
  },
  now: Date,
): Transition<OperatorSession> {
  const { id: operatorId, sessionGeneration: generation } = operator;
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  const times = { expiresAt, lastUsedAt: now, endedAt: undefined };
  return only({ id, operatorId, generation, ...times, origin, isByProvider });
}

/** True while the session is valid for its operator at real time `now`. */
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

/** Records a use at real time `now`, unless one of the last minutes is recorded. */
export function recordSessionUse(session: OperatorSession, now: Date): Transition<OperatorSession> {
  if (now.getTime() - session.lastUsedAt.getTime() < useRecordedEveryMs) return unchanged(session);
  return only({ ...session, lastUsedAt: now });
}

/** Keeps a session valid whose own operator has ended all others. */
export function renewGeneration(
  session: OperatorSession,
  { sessionGeneration: generation }: Operator,
): Transition<OperatorSession> {
  return generation === session.generation ? unchanged(session) : only({ ...session, generation });
}

/** Ends the session; a retry changes nothing. */
export function endSession(session: OperatorSession, now: Date): Transition<OperatorSession> {
  return session.endedAt === undefined ? only({ ...session, endedAt: now }) : unchanged(session);
}

/** An absent origin counts as an unknown network, shared by all such callers. */
export function sentOrigin(origin: Origin | undefined): Origin {
  return origin ?? { network: '', address: '', userAgent: '' };
}

/** The same answer for every invalid session. */
export function invalidSession(): DomainError {
  return new DomainError('unauthenticated', 'INVALID_SESSION', 'The session has expired');
}
