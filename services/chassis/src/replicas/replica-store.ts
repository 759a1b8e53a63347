import type { Collection, Db } from 'mongodb';
import { duplicateKeyIndex } from '../mongo/mongo';
import type { Beat } from './replica';
import type { ShownState, SystemDocument } from './system-state';
import { systemCollection, systemKey } from './system-store';

interface ReplicaDocument {
  /** Id of the replica. */
  readonly _id: string;
  /** Identifies one process among those that had this id. */
  readonly run: string;
  readonly beat: number;
  /** Real time of the replica, for people. */
  readonly at: Date;
  readonly release: string;
  /** Absent in heartbeats of releases before 0.2.0. */
  readonly system?: ShownState;
  /** Absent in heartbeats of services that report nothing. */
  readonly reported?: number;
  /** Absent in heartbeats of releases before 0.2.0. */
  readonly health?: ReplicaHealth;
}

/** What a replica knows of its surroundings, for `npm run doctor`. */
export interface ReplicaHealth {
  /** `short`: servers of the stream are missing or behind. */
  readonly stream: 'up' | 'short' | 'down';
  /** Real time at which the certificate of the replica expires; absent: it has none. */
  readonly certificateUntil?: Date;
}

/** A heartbeat as stored. */
export interface Heartbeat extends Beat {
  readonly at: Date;
  readonly release: string;
  readonly system?: ShownState | undefined;
  /** Count that the replica reports to the others; see Replicas.shareCount. */
  readonly reported?: number | undefined;
  readonly health?: ReplicaHealth | undefined;
}

// A hanging database counts as unavailable long before the others consider the replica gone.
const limits = { timeoutMS: 4_000 };

/** Heartbeats of the replicas of one service. */
export class ReplicaStore {
  private readonly replicas: Collection<ReplicaDocument>;

  constructor(db: Db) {
    // A lost heartbeat is written again: it need not wait for the disk.
    this.replicas = db.collection('replicas', { writeConcern: { w: 1 } });
  }

  /**
   * Starts the heartbeats of a process, in place of an earlier process with its id. Waits as long
   * as any write: on a busy machine the database may answer slowly while services start.
   */
  async register(heartbeat: Heartbeat & { run: string }): Promise<void> {
    const { replica, ...fields } = heartbeat;
    await this.replicas.updateOne({ _id: replica }, { $set: fields }, { upsert: true });
  }

  /** Writes the next heartbeat; false if another process has taken the id. */
  async beat(heartbeat: Heartbeat & { run: string }): Promise<boolean> {
    const { replica, run, ...fields } = heartbeat;
    try {
      await this.replicas.updateOne(
        { _id: replica, run },
        { $set: fields },
        { ...limits, upsert: true },
      );
      return true;
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }

  async list(): Promise<Heartbeat[]> {
    const documents = await this.replicas.find({}, limits).toArray();
    return documents.map(fromDocument);
  }

  /** Reads all heartbeats and the state of the system with one command. */
  async listWithSystem(): Promise<{
    readonly heartbeats: Heartbeat[];
    readonly system: SystemDocument | undefined;
  }> {
    const pipeline = [{ $match: systemKey }, { $project: { _id: 0, system: '$$ROOT' } }];
    const documents = await this.replicas
      .aggregate<ReplicaDocument | { readonly _id: undefined; readonly system: SystemDocument }>(
        [{ $unionWith: { coll: systemCollection, pipeline } }],
        limits,
      )
      .toArray();
    return {
      heartbeats: documents.flatMap((one) => (one._id === undefined ? [] : [fromDocument(one)])),
      system: documents.find((one) => one._id === undefined)?.system,
    };
  }

  /** Removes the heartbeats of a system whose data was restored. */
  async removeAll(): Promise<void> {
    await this.replicas.deleteMany({}, limits);
  }

  /** Removes the heartbeat of a process that ends. */
  async removeOwn(replica: string, run: string): Promise<void> {
    await this.replicas.deleteOne({ _id: replica, run }, limits);
  }

  /** Removes heartbeats that have not changed since they were read. */
  async remove(beats: readonly Beat[]): Promise<void> {
    for (const { replica, beat } of beats) {
      await this.replicas.deleteOne({ _id: replica, beat }, limits);
    }
  }
}

function fromDocument({ _id: replica, ...document }: ReplicaDocument): Heartbeat {
  const { beat, at, release, system, reported, health } = document;
  return { replica, beat, at, release, system, reported, health };
}
