import { monotonicMs } from '@billing/chassis/clock';
import { isEndedHere } from '@billing/chassis/replica';
import { type Heartbeat, ReplicaStore } from '@billing/chassis/replica-store';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import type { ServiceDatabase } from '../database/databases';

/** Time in which a supervisor starts a service again. */
const silentMsMax = 60_000;

/** Watches that each service has a replica that recovers from the restore. */
export class LivingServices {
  private readonly beats = new Map<string, string>();
  private readonly since = new Map<string, number>();
  private readonly startedMs: number;

  constructor(
    private readonly restoreId: string,
    private readonly nowMs: () => number = monotonicMs,
  ) {
    this.startedMs = nowMs();
  }

  /** Reads the heartbeats of services; refuses one that has been silent for a minute. */
  async watch(databases: readonly ServiceDatabase[]): Promise<void> {
    for (const { service, db } of databases) {
      this.observe(service, await new ReplicaStore(db).list());
    }
  }

  observe(service: string, all: readonly Heartbeat[]): void {
    const own = all.filter(
      ({ replica, system }) => system?.restore === this.restoreId && !isEndedHere(replica),
    );
    const beats = own.map(({ replica, beat }) => `${replica} ${String(beat)}`).join();
    const nowMs = this.nowMs();
    if (beats !== '' && beats !== this.beats.get(service)) this.since.set(service, nowMs);
    this.beats.set(service, beats);
    if (nowMs - (this.since.get(service) ?? this.startedMs) < silentMsMax) return;
    const message = `No replica of ${service} is running: start the services`;
    throw new StartRefusal(exitStatuses.busy, message);
  }
}
