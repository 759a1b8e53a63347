import type { Generation } from '../generation/generation';
import { fromSortableNumber, sortableNumber } from './sortable-number';

/** State of the epochs that flushes belong to. An epoch has nothing to do with event time. */
export interface UsageEpoch {
  /** Epoch of flushes that start now. */
  readonly current: number;
  /** Up to this epoch, no event and no part can be added any more. */
  readonly until: number;
  /** Generations of events, oldest first; complete up to `current`. */
  readonly generations: readonly Generation[];
}

/** State of a writer's slot. A slot has one flush at a time. */
export interface SlotState {
  /** `<writer>.<slot>`. */
  readonly id: string;
  /** The number of the writer: one run of a process, never used again. */
  readonly writer: number;
  /** True from the moment at which the writer was fenced. Nothing else changes afterwards. */
  readonly dead: boolean;
  /** Number of the last command to the slot that took effect. */
  readonly n: number;
  /** Lowest epoch in which the slot may still add something; null: the slot is parked. */
  readonly epoch: number | null;
  /** The flush in progress, or the last one; empty if there is none. */
  readonly flush: string;
  /** `_id`s of the events of that flush; empty between flushes. */
  readonly ids: readonly string[];
}

/** A slot without its ids, which are many. */
export type SlotSummary = Omit<SlotState, 'ids'>;

/** True if a slot is recovered: it only refuses what its writer may still send. */
export function isReleased({ dead, epoch }: Pick<SlotState, 'dead' | 'epoch'>): boolean {
  return dead && epoch === null;
}

/** A command to a slot. It takes effect at most once, and never after a later one. */
export type SlotCommand = Pick<SlotState, 'id' | 'n' | 'epoch' | 'flush' | 'ids'>;

/**
 * Storage of epochs and slots. Each call is one step: a crash may come after it, it may take effect
 * late or twice, and it may take effect even if its reply is lost.
 */
export interface EpochStorage {
  /** Returns a number that was never used before. */
  registerWriter(): Promise<number>;
  readEpoch(): Promise<UsageEpoch>;
  /** Moves `current` from the given epoch to the next one; no effect if it has moved. */
  advanceCurrent(from: number): Promise<void>;
  /** Raises `until`, never lowers it. */
  raiseUntil(until: number): Promise<void>;
  /** Inserts a slot in epoch 0, which holds `until` until its first command. */
  insertSlot(slot: Pick<SlotState, 'id' | 'writer'>): Promise<void>;
  /** Returns false if the slot is dead or gone, or has had this command or a later one. */
  changeSlot(command: SlotCommand): Promise<boolean>;
  findSlot(id: string): Promise<SlotState | undefined>;
  findSlots(): Promise<readonly SlotSummary[]>;
  /** Fences a writer: none of its slots takes a command any more. */
  fence(writer: number): Promise<void>;
  /**
   * Lets a dead slot hold nothing back. It stays stored, so that an insert of it that takes effect
   * late does not bring it back to life.
   */
  releaseSlot(id: string): Promise<void>;
  removeSlot(id: string): Promise<void>;
}

// Two seconds each: enough for thousands of years.
const epochWidth = 7;

/** Text of an epoch in ids of documents. */
export function epochText(epoch: number): string {
  return sortableNumber(epoch, epochWidth);
}

export function fromEpochText(text: string): number {
  return fromSortableNumber(text);
}

/**
 * The epoch below which all slots have passed. `current` must have been read before the slots: a
 * slot that was inserted since belongs to a writer that reads `current` later.
 */
export function untilOf(current: number, slots: readonly Pick<SlotState, 'epoch'>[]): number {
  // Dead slots hold the epoch, too: their events may not be counted yet.
  const epochs = slots.flatMap(({ epoch }) => (epoch === null ? [] : [epoch]));
  return Math.min(current, ...epochs) - 1;
}
