import type { Generation } from '../generation/generation';
import type { EventDocument, NewEventDocument } from '../usage/event-store';
import type { UsagePart } from './part';

/**
 * Placeholder for an event that a dead flush may not have stored. It names no environment, customer
 * or time, so that no list and no total finds it. Another flush may replace it by the event.
 */
export interface Blocker {
  readonly _id: string;
  /** Flushes that may no longer store the event. */
  readonly blocked: readonly string[];
}

/** Result of one insert command. All other events were stored. */
export interface InsertedEvents {
  /** Events whose id is in use. */
  readonly duplicates: ReadonlySet<NewEventDocument>;
  /** Events that could not be stored, with the error. */
  readonly failed: ReadonlyMap<NewEventDocument, Error>;
}

/** The generation that a step reads or writes. */
export type EventPlace = Pick<Generation, 'name'>;

/**
 * Storage of events and parts. Each call is one step: a crash may come after it, it may take effect
 * late or twice, and it may take effect even if its reply is lost.
 */
export interface FlushStorage {
  /** Inserts events that do not exist, in one command and in any order. */
  insertEvents(events: readonly NewEventDocument[], place: EventPlace): Promise<InsertedEvents>;
  /** Stored events and blockers by `_id`. */
  findEvents(
    ids: readonly string[],
    place: EventPlace,
  ): Promise<ReadonlyMap<string, EventDocument | Blocker>>;
  /** Replaces a blocker by the event, unless it blocks the event's own flush. */
  takeOver(event: NewEventDocument, place: EventPlace): Promise<boolean>;
  /** Prevents a flush from storing those of the events that it has not stored yet. */
  block(ids: readonly string[], flush: string, place: EventPlace): Promise<void>;
  /** Inserts parts that do not exist. */
  insertParts(parts: readonly UsagePart[]): Promise<void>;
  /** Returns those of the ids of parts that exist. */
  findPartIds(ids: readonly string[]): Promise<ReadonlySet<string>>;
}

export function isBlocker(stored: EventDocument | Blocker): stored is Blocker {
  return 'blocked' in stored;
}
