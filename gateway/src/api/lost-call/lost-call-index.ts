const lifeMs = 10 * 60_000;
// Each entry takes about 200 bytes.
const callsMax = 10_000;
const perCallerMax = 1_000;

/** A lost call in the index of a gateway. */
export interface IndexedCall {
  readonly id: string;
  readonly callerId: string;
  readonly fingerprint: string;
}

/** An entry of the index, replaced when the same call is added again. */
export interface Known {
  readonly fingerprint: string;
  readonly untilMs: number;
}

/**
 * In-memory index of lost calls by caller, so that almost every request needs no remote lookup. The
 * oldest calls are evicted.
 */
export class LostCallIndex {
  private readonly callers = new Map<string, Map<string, Known>>();
  private size = 0;

  /** Adds a call and returns the ids of evicted calls. */
  add({ id, callerId, fingerprint }: IndexedCall, now: Date): string[] {
    const calls = this.callers.get(callerId) ?? new Map<string, Known>();
    this.size += calls.has(id) ? 0 : 1;
    calls.delete(id);
    calls.set(id, { fingerprint, untilMs: now.getTime() + lifeMs });
    // Deleted and set again to keep the map in the order of the last addition.
    this.callers.delete(callerId);
    this.callers.set(callerId, calls);
    const removed: string[] = [];
    while (calls.size > perCallerMax) removed.push(...this.removeOldest(callerId, calls));
    while (this.size > callsMax) {
      const oldest = this.callers.entries().next();
      if (oldest.done === true) break;
      removed.push(...this.removeOldest(...oldest.value));
    }
    return removed;
  }

  /** True if a caller may have lost calls. */
  knows(callerId: string, now: Date): boolean {
    const calls = this.callers.get(callerId);
    if (calls === undefined) return false;
    for (const [id, { untilMs }] of calls) {
      if (untilMs > now.getTime()) return true;
      this.remove(callerId, id);
    }
    return false;
  }

  /** Lost calls of a caller with a fingerprint, by id. */
  callsOf(callerId: string, fingerprint: string): [string, Known][] {
    const calls = this.callers.get(callerId) ?? new Map<string, Known>();
    return [...calls].filter(([, call]) => call.fingerprint === fingerprint);
  }

  /** Removes a call. With `known`, only if it was not added again since. */
  remove(callerId: string, id: string, known?: Known): void {
    const calls = this.callers.get(callerId);
    if (calls === undefined || (known !== undefined && calls.get(id) !== known)) return;
    if (!calls.delete(id)) return;
    this.size -= 1;
    if (calls.size === 0) this.callers.delete(callerId);
  }

  private removeOldest(callerId: string, calls: ReadonlyMap<string, Known>): string[] {
    const [oldest] = calls.keys();
    if (oldest === undefined) return [];
    this.remove(callerId, oldest);
    return [oldest];
  }
}
