import { goneAfterMs } from '@billing/chassis/replica';
import type { Heartbeat } from '@billing/chassis/replica-store';

/** Heartbeats of one database as a command sees them by its own monotonic clock. */
export class SeenReplicas {
  private readonly seen = new Map<string, { beat: number; sinceMs: number }>();

  constructor(private readonly isEnded: (replica: string) => boolean) {}

  /** Records a read, and returns the heartbeats of replicas that may be alive. */
  living(beats: readonly Heartbeat[], nowMs: number): Heartbeat[] {
    return beats.filter(({ replica, beat }) => {
      const known = this.seen.get(replica);
      const sinceMs = known?.beat === beat ? known.sinceMs : nowMs;
      this.seen.set(replica, { beat, sinceMs });
      return !this.isEnded(replica) && nowMs - sinceMs < goneAfterMs;
    });
  }
}

/** True if a replica has counted up its heartbeat since the first read, or has started since. */
export function isBeating({ replica, beat }: Heartbeat, first: readonly Heartbeat[]): boolean {
  return !first.some((one) => one.replica === replica && one.beat === beat);
}

/** True if a replica obeys the pause and has no write in flight. */
export function hasPaused({ system }: Pick<Heartbeat, 'system'>, pauseId: string): boolean {
  return system?.state === 'PAUSED' && system.pause === pauseId && system.writing === 0;
}
