/** Something that happened, named e.g. `subscription.created`; the service's `events.ts` turns `data` into its proto message. */
export interface DomainEvent {
  readonly type: string;
  readonly data: unknown;
}

/** An idempotent call on a peer or the own service, repeated until it is answered; `payload` must survive storage. */
export interface Command {
  readonly type: string;
  readonly payload: Record<string, unknown>;
}

/** What a rule decides: the new state, and the events and commands that are stored with it in the same write. */
export interface Transition<S, E extends DomainEvent = DomainEvent, C extends Command = Command> {
  readonly state: S;
  readonly events: readonly E[];
  readonly commands: readonly C[];
}

/** The decision to do nothing: the same state object, so that a store can see that there is nothing to write. */
export function unchanged<S>(state: S): Transition<S, never, never> {
  return { state, events: [], commands: [] };
}

/** A new state of which nobody is told and that asks nothing of anybody. */
export function only<S>(state: S): Transition<S, never, never> {
  return { state, events: [], commands: [] };
}
