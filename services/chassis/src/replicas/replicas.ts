import type { Db } from 'mongodb';
import { type Clock, monotonicMs } from '../clock';
import { newId } from '../ids';
import type { Logger } from '../telemetry/logging';
import { Membership } from './membership';
import { isEndedHere, newReplicaId } from './replica';
import { isOlder } from '../version';
import { type Heartbeat, type ReplicaHealth, ReplicaStore } from './replica-store';
import { retryTransient } from '../mongo/mongo';
import { SchemaGate } from './schema-gate';
import { type SharedCount, sliceCount, type SliceFilter, sliceOf, type Slices } from './slices';
import { SystemWatch } from './system-watch';

/** Interval of heartbeats. */
export const beatEveryMs = 2_000;
// A silent replica may still come back, and a step that older releases cannot share waits for it.
const removeAfterMs = 10 * 60_000;

/** Dependencies of a replica's heartbeats. */
export interface ReplicasDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly release: string;
  /** Monotonic. */
  readonly nowMs?: () => number;
}

/**
 * Divides background work between the replicas of a service. Each counts up its heartbeat and reads
 * those of the others. Sharing saves work and is never needed for correctness.
 */
export class Replicas implements Slices {
  /** State of the system; while it is not OPEN, no replica takes new work. */
  readonly system: SystemWatch;
  private readonly store: ReplicaStore;
  private readonly schema: SchemaGate;
  private readonly run = newId();
  private readonly nowMs: () => number;
  private replica = newReplicaId();
  private membership = new Membership(this.replica);
  private beat = 0;
  private shared: SharedCount | undefined;
  private health: ReplicaHealth | undefined;
  private last: { key: string; filter: SliceFilter | undefined } = { key: '', filter: undefined };

  constructor(
    db: Db,
    private readonly dependencies: ReplicasDependencies,
  ) {
    this.store = new ReplicaStore(db);
    this.schema = new SchemaGate(db, dependencies.release);
    this.nowMs = dependencies.nowMs ?? monotonicMs;
    this.system = new SystemWatch(db, { clock: dependencies.clock, nowMs: this.nowMs });
    this.ofMessages = withFilter(this, () =>
      this.system.holdsMessages ? undefined : this.ownFilter(),
    );
  }

  /** Id of this replica. */
  get id(): string {
    return this.replica;
  }

  owns(id: string): boolean {
    return !this.system.isClosed && this.membership.slices(this.nowMs()).includes(sliceOf(id));
  }

  filter(): SliceFilter | undefined {
    return this.system.isClosed ? undefined : this.ownFilter();
  }

  get isAlone(): boolean {
    return this.membership.isAlone(this.nowMs());
  }

  /** True for a replica that is gone, or has started since the last heartbeat of this one. */
  isGone(replica: string): boolean {
    return this.membership.isGone(replica, this.nowMs());
  }

  /** Share in the messages of outboxes, which are exchanged while the system recovers, too. */
  readonly ofMessages: Slices;

  private ownFilter(): SliceFilter | undefined {
    const slices = this.membership.slices(this.nowMs());
    const key = slices.join();
    if (key !== this.last.key) this.last = { key, filter: filterOf(slices) };
    return this.last.filter;
  }

  /**
   * Registers the replica and reads of the others. Refuses a release that the data no longer
   * supports, and data that was moved: either its mover sees the heartbeat, or the check sees the
   * move.
   */
  async start(): Promise<void> {
    await retryTransient(() => this.store.register(this.heartbeat()));
    await retryTransient(async () => this.observe(await this.store.list()));
    await this.schema.check();
    await this.system.check();
  }

  /** Shares a count with the other replicas, at the pace of the heartbeats. */
  shareCount(shared: SharedCount): void {
    this.shared = shared;
  }

  /** Shows with the heartbeats what the replica knows of its surroundings. */
  showHealth(health: ReplicaHealth): void {
    this.health = health;
  }

  /** Writes the next heartbeat, and reads those of the others and the state of the system. */
  async keepAlive(): Promise<void> {
    const [written, read] = await Promise.allSettled([
      this.writeHeartbeat(),
      this.store.listWithSystem(),
    ]);
    // The state is learned although no heartbeat can be written.
    if (read.status === 'fulfilled') this.system.observe(read.value.system);
    if (written.status === 'rejected') throw written.reason;
    if (read.status === 'rejected') throw read.reason;
    await this.observe(read.value.heartbeats);
  }

  private async writeHeartbeat(): Promise<void> {
    this.beat += 1;
    if (!(await this.store.beat(this.heartbeat()))) {
      this.dependencies.logger.warn(
        { replica: this.replica },
        'replica id is in use, choosing another',
      );
      this.replica = newId();
      this.membership = new Membership(this.replica);
      await this.store.register(this.heartbeat());
    }
  }

  /** True while a replica of an earlier release has a heartbeat. */
  async hasOlder(): Promise<boolean> {
    const all = await retryTransient(() => this.store.list());
    return all.some(({ release }) => isOlder(release, this.dependencies.release));
  }

  /** Lists the replicas with a heartbeat, and whether it moves. */
  async list(): Promise<readonly (Heartbeat & { readonly isLiving: boolean })[]> {
    const all = await this.store.list();
    return all.map((one) => ({ ...one, isLiving: !this.isGone(one.replica) }));
  }

  /** Says goodbye, so that the others need not wait. */
  async stop(): Promise<void> {
    await this.store.removeOwn(this.replica, this.run);
  }

  private heartbeat() {
    const { clock, release } = this.dependencies;
    const { replica, run, beat, system, health } = this;
    const reported = this.shared === undefined ? {} : { reported: this.shared.own() };
    const facts = { at: clock.now(), release, system: system.shown() };
    return { replica, run, beat, ...facts, ...reported, ...(health && { health }) };
  }

  private async observe(all: readonly Heartbeat[]): Promise<void> {
    const ended = all.filter(({ replica }) => isEndedHere(replica));
    this.membership.observe(
      all.filter((one) => !ended.includes(one)),
      this.nowMs(),
    );
    this.shared?.observe(
      new Map(
        all.flatMap(({ replica, reported }) =>
          replica === this.replica || reported === undefined ? [] : [[replica, reported] as const],
        ),
      ),
    );
    const silent = this.membership.silentFor(removeAfterMs, this.nowMs());
    await this.store.remove([...ended, ...silent]);
  }
}

function withFilter(slices: Slices, filter: Slices['filter']): Slices {
  return {
    owns: (id) => slices.owns(id),
    filter,
    get isAlone() {
      return slices.isAlone;
    },
  };
}

// Documents stored by a release without slices have none until their next write.
function filterOf(slices: readonly number[]): SliceFilter | undefined {
  if (slices.length === 0) return undefined;
  if (slices.length === sliceCount) return {};
  return { slice: { $in: slices.includes(0) ? [...slices, null] : slices } };
}
