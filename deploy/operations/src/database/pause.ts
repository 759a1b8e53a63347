import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs, systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import { isEndedHere } from '@billing/chassis/replica';
import { ReplicaStore } from '@billing/chassis/replica-store';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import { type Pause, pauseLeaseMs } from '@billing/chassis/system-state';
import type { ServiceDatabase } from './databases';
import { hasPaused, isBeating, SeenReplicas } from './seen-replicas';

const renewEveryMs = 5_000;
const lookEveryMs = 250;
const replicasWithinMs = 15_000;

/** Outcome of work during a pause of all writes. */
export interface Paused<T> {
  readonly result: T;
  readonly pausedMs: number;
}

/**
 * Pauses the writes of all services, waits for their replicas, runs the work, and opens the system
 * again. Rejects if a replica does not obey in time, or if the pause was lost during the work.
 */
export async function whilePaused<T>(
  databases: readonly ServiceDatabase[],
  work: () => Promise<T>,
): Promise<Paused<T>> {
  const lease = new PauseLease(databases);
  const startedMs = monotonicMs();
  try {
    await lease.take();
    await awaitReplicas(databases, lease.id);
    const result = await work();
    await lease.confirm();
    return { result, pausedMs: Math.round(monotonicMs() - startedMs) };
  } finally {
    await lease.end();
  }
}

class PauseLease {
  readonly id = newId();
  private beat = 0;
  private renewedMs = monotonicMs();
  private isLost = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly taken: ServiceDatabase[] = [];

  constructor(private readonly databases: readonly ServiceDatabase[]) {}

  async take(): Promise<void> {
    const pause = this.next();
    for (const database of this.databases) {
      if (!(await database.system.pause(pause))) {
        throw new StartRefusal(exitStatuses.busy, 'A backup is running');
      }
      this.taken.push(database);
    }
    this.timer = setInterval(() => {
      // A lost renewal is followed by the next one.
      void this.renew().catch(() => undefined);
    }, renewEveryMs);
  }

  /** Rejects if any service may have written since the pause began. */
  async confirm(): Promise<void> {
    const gapMs = monotonicMs() - this.renewedMs;
    await this.renew();
    if (this.isLost || gapMs >= pauseLeaseMs) {
      const message = 'Writes went on before the copy was complete: try again';
      throw new StartRefusal(exitStatuses.busy, message);
    }
  }

  async end(): Promise<void> {
    clearInterval(this.timer);
    // A database that cannot be reached opens when the lease ends.
    await Promise.allSettled(this.taken.map(({ system }) => system.resume(this.id)));
  }

  private next(): Pause {
    this.beat += 1;
    return { id: this.id, beat: this.beat, at: systemClock.now() };
  }

  private async renew(): Promise<void> {
    const pause = this.next();
    const beforeMs = monotonicMs();
    const held = await Promise.all(this.databases.map(({ system }) => system.renew(pause)));
    if (held.includes(false) || beforeMs - this.renewedMs >= pauseLeaseMs) this.isLost = true;
    this.renewedMs = beforeMs;
  }
}

/** Waits until every living replica shows the pause and has no write in flight. */
async function awaitReplicas(
  databases: readonly ServiceDatabase[],
  pauseId: string,
): Promise<void> {
  const startedMs = monotonicMs();
  const all = databases.map(({ service, db }) => ({
    service,
    store: new ReplicaStore(db),
    seen: new SeenReplicas(isEndedHere),
  }));
  for (;;) {
    const late: string[] = [];
    for (const { service, store, seen } of all) {
      const living = seen.living(await store.list(), monotonicMs());
      if (!living.every((one) => hasPaused(one, pauseId))) late.push(service);
    }
    if (late.length === 0) return;
    if (monotonicMs() - startedMs >= replicasWithinMs) {
      const message = `Writes could not be paused within 15 s: ${late.join(', ')}`;
      throw new StartRefusal(exitStatuses.busy, message);
    }
    await delay(lookEveryMs);
  }
}

/** Rejects if a replica of any service is alive. */
export async function refuseRunningReplicas(databases: readonly ServiceDatabase[]): Promise<void> {
  await Promise.all(databases.map(refuseRunning));
}

async function refuseRunning({ service, db }: ServiceDatabase): Promise<void> {
  const store = new ReplicaStore(db);
  const seen = new SeenReplicas(isEndedHere);
  const first = await store.list();
  let living = seen.living(first, monotonicMs());
  while (living.length > 0) {
    if (living.some((one) => isBeating(one, first))) {
      throw new StartRefusal(exitStatuses.busy, `A replica of ${service} is running`);
    }
    await delay(lookEveryMs);
    living = seen.living(await store.list(), monotonicMs());
  }
}
