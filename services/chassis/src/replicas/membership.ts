import { type Beat, goneAfterMs } from './replica';
import { sliceCount, slicesOf } from './slices';

/** Time that a replica leaves gained slices to their former owner. */
export const gainAfterMs = 2_000;

/** The heartbeats as of one read. */
interface View {
  /** Monotonic time of the read. */
  readonly atMs: number;
  /** By replica, its last beat and the time at which this reader first read it. */
  readonly beats: ReadonlyMap<string, { readonly beat: number; readonly sinceMs: number }>;
}

/**
 * Slices of one replica, as it sees the others by its own monotonic clock. Replicas may disagree
 * for a while: ownership saves work, and the compare-and-set of a write decides.
 */
export class Membership {
  // The latest read and those that were current within the time until slices are gained, oldest
  // first.
  private views: readonly View[] = [];

  constructor(private readonly replica: string) {}

  /** Records what was read right after the replica's own heartbeat was written. */
  observe(beats: readonly Beat[], nowMs: number): void {
    const last = this.views.at(-1);
    const view = {
      atMs: nowMs,
      beats: new Map(
        beats.map(({ replica, beat }) => {
          const known = last?.beats.get(replica);
          return [replica, known?.beat === beat ? known : { beat, sinceMs: nowMs }];
        }),
      ),
    };
    const isLapsed = last === undefined || nowMs - last.atMs >= goneAfterMs;
    const current = this.views.findLastIndex(({ atMs }) => atMs <= nowMs - gainAfterMs);
    this.views = isLapsed ? [view] : [...this.views.slice(Math.max(current, 0)), view];
  }

  /**
   * Returns the slices whose work the replica may take now. None if it has not written its own
   * heartbeat for as long as the others take to consider it gone. Slices are gained after a wait;
   * a replica that starts alone has all of them at once.
   */
  slices(nowMs: number): number[] {
    const last = this.views.at(-1);
    const [first] = this.views;
    if (first === undefined || last === undefined || nowMs - last.atMs >= goneAfterMs) return [];
    const held = this.slicesIn(last, nowMs);
    const beforeMs = nowMs - gainAfterMs;
    const before = this.views.findLast(({ atMs }) => atMs <= beforeMs);
    if (before === undefined) return this.living(first, first.atMs).length === 1 ? held : [];
    const heldBefore = new Set(this.slicesIn(before, beforeMs));
    return held.filter((slice) => heldBefore.has(slice));
  }

  /** True if the replica has all slices, and no other one has a heartbeat that moves. */
  isAlone(nowMs: number): boolean {
    const last = this.views.at(-1);
    if (last === undefined || this.slices(nowMs).length < sliceCount) return false;
    return this.living(last, nowMs).length === 1;
  }

  /** Returns replicas whose heartbeat has stood still for so long, with their last beats. */
  silentFor(ms: number, nowMs: number): Beat[] {
    const beats = [...(this.views.at(-1)?.beats ?? [])];
    return beats
      .filter(([replica, { sinceMs }]) => replica !== this.replica && nowMs - sinceMs >= ms)
      .map(([replica, { beat }]) => ({ replica, beat }));
  }

  /**
   * True for a replica without a heartbeat, or whose heartbeat stands still. A replica that has
   * just started may be unknown yet. False while this replica cannot read the heartbeats.
   */
  isGone(replica: string, nowMs: number): boolean {
    const last = this.views.at(-1);
    if (last === undefined || nowMs - last.atMs >= goneAfterMs) return false;
    return !this.living(last, nowMs).includes(replica);
  }

  private slicesIn(view: View, nowMs: number): number[] {
    return slicesOf(this.replica, this.living(view, nowMs));
  }

  private living({ beats }: View, nowMs: number): string[] {
    const living = [...beats]
      .filter(([, { sinceMs }]) => nowMs - sinceMs < goneAfterMs)
      .map(([replica]) => replica);
    return [...new Set([this.replica, ...living])];
  }
}
