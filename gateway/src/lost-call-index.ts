const keptMs = 10 * 60_000;
// About 200 bytes each.
const callsMax = 10_000;
const perCallerMax = 1_000;

/** A lost call as gateways know it. */
export interface IndexedCall {
  readonly id: string;
  readonly callerId: string;
  readonly fingerprint: string;
}

/** An entry, which another addition of the same call replaces. */
export interface Known {
  readonly fingerprint: string;
  readonly untilMs: number;
}

/**
 * Which callers have lost calls, in this process's memory: almost no request has to look any
 * further. Oldest calls make room for new ones.
 */
export class LostCallIndex {
  private readonly callers = new Map<string, Map<string, Known>>();
  private size = 0;

  /** Adds a call and returns the ids of those that had to make room for it. */
  add({ id, callerId, fingerprint }: IndexedCall, now: Date): string[] {
    const calls = this.callers.get(callerId) ?? new Map<string, Known>();
    this.size += calls.has(id) ? 0 : 1;
    calls.delete(id);
    calls.set(id, { fingerprint, untilMs: now.getTime() + keptMs });
    // Set again, so that the map stays in the order of the last addition.
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

  /** Whether a caller may have lost calls. */
  knows(callerId: string, now: Date): boolean {
    const calls = this.callers.get(callerId);
    if (calls === undefined) return false;
    for (const [id, { untilMs }] of calls) {
      if (untilMs > now.getTime()) return true;
      this.remove(callerId, id);
    }
    return false;
  }

  /** A caller's calls with a fingerprint, by id. */
  callsOf(callerId: string, fingerprint: string): [string, Known][] {
    const calls = this.callers.get(callerId) ?? new Map<string, Known>();
    return [...calls].filter(([, call]) => call.fingerprint === fingerprint);
  }

  /** Removes a call; with `known` only if it was not added again since. */
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
