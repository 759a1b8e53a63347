/**
 * Event with a name such as `subscription.created`. The service's `events.ts` converts `data` to
 * its proto message.
 */
export interface DomainEvent {
  readonly type: string;
  /**
   * Type of a second subject in the same aggregate, which numbers the event in place of the
   * aggregate. Absent: the aggregate.
   */
  readonly subject?: string;
  readonly data: unknown;
}

/**
 * Idempotent call to a peer or the own service, retried until it succeeds. `payload` must be
 * storable.
 */
export interface Command {
  readonly type: string;
  readonly payload: Record<string, unknown>;
}

/**
 * Result of a rule: the new state, and the events and commands that are stored with it in the same
 * write.
 */
export interface Transition<S, E extends DomainEvent = DomainEvent, C extends Command = Command> {
  readonly state: S;
  readonly events: readonly E[];
  readonly commands: readonly C[];
  /** True for a change that callers do not see: the time of the last change stays. */
  readonly isHidden?: boolean;
}

/** Result without a change: the same state object, so that a store can skip the write. */
export function unchanged<S>(state: S): Transition<S, never, never> {
  return { state, events: [], commands: [] };
}

/** Result with a new state, without events and commands. */
export function only<S>(state: S): Transition<S, never, never> {
  return { state, events: [], commands: [] };
}
