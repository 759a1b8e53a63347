import type { SlotSummary } from './epoch';

// A living writer moves each slot in use every two seconds.
const silentMsMax = 30_000;
// A parked slot holds nothing back, but the slot of a writer that is gone must be removed some day.
const parkedMsMax = 3_600_000;
// After an outage of the database, or of the observer, all writers need a moment to move again: a
// long time between two readings counts as this much.
const stepMsMax = silentMsMax / 2;

interface Seen {
  readonly n: number;
  readonly silentMs: number;
}

/**
 * Finds writers whose slots do not change any more, by the observer's own monotonic clock. A writer
 * that is found although it lives loses the flushes it holds, and registers again.
 */
export class SlotWatch {
  private seen = new Map<string, Seen>();
  private lastMs = 0;

  /** Returns the silent writers among those of all slots that are not dead. */
  silentWriters(slots: readonly SlotSummary[], nowMs: number): number[] {
    const before = this.seen;
    this.seen = new Map();
    const stepMs = Math.min(nowMs - this.lastMs, stepMsMax);
    this.lastMs = nowMs;
    const silent = new Map<number, boolean>();
    for (const { id, writer, dead, n, epoch } of slots) {
      if (dead) continue;
      const last = before.get(id);
      const silentMs = last?.n === n ? last.silentMs + stepMs : 0;
      this.seen.set(id, { n, silentMs });
      const limitMs = epoch === null ? parkedMsMax : silentMsMax;
      const isSilent = silentMs > limitMs;
      // A parked slot says nothing about a writer that uses others.
      if (epoch === null && !isSilent) continue;
      silent.set(writer, isSilent && silent.get(writer) !== false);
    }
    return [...silent].flatMap(([writer, isSilent]) => (isSilent ? [writer] : []));
  }
}
