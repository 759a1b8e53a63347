import { sortableNumber } from './sortable-number';

/** State of the epochs that flushes belong to. An epoch has nothing to do with event time. */
export interface UsageEpoch {
  /** Epoch of flushes that start now. */
  readonly current: number;
  /** Up to this epoch, no event and no part can be added any more. */
  readonly until: number;
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

// Two seconds each: enough for thousands of years.
const epochWidth = 7;

/** Text of an epoch in ids of documents. */
export function epochText(epoch: number): string {
  return sortableNumber(epoch, epochWidth);
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
