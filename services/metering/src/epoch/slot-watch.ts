import type { SlotSummary } from './epoch';

// A living writer moves each slot in use every two seconds.
const silentMsMax = 30_000;
// A parked slot holds nothing back, but the slot of a writer that is gone must be removed some day.
// A released one must outlast each command that was sent to it.
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

  /** Returns silent writers of slots that are not dead, and released slots to be removed. */
  findSilent(
    slots: readonly SlotSummary[],
    nowMs: number,
  ): { readonly writers: number[]; readonly released: string[] } {
    const before = this.seen;
    this.seen = new Map();
    const stepMs = Math.min(nowMs - this.lastMs, stepMsMax);
    this.lastMs = nowMs;
    const silent = new Map<number, boolean>();
    const released: string[] = [];
    for (const { id, writer, dead, n, epoch } of slots) {
      // Not seen while it is recovered: the hour of a released slot begins with its release.
      if (dead && epoch !== null) continue;
      const last = before.get(id);
      const silentMs = last?.n === n ? last.silentMs + stepMs : 0;
      this.seen.set(id, { n, silentMs });
      const limitMs = epoch === null ? parkedMsMax : silentMsMax;
      const isSilent = silentMs > limitMs;
      if (dead) {
        if (isSilent) released.push(id);
        continue;
      }
      // A parked slot says nothing about a writer that uses others.
      if (epoch === null && !isSilent) continue;
      silent.set(writer, isSilent && silent.get(writer) !== false);
    }
    const writers = [...silent].flatMap(([writer, isSilent]) => (isSilent ? [writer] : []));
    return { writers, released };
  }
}
