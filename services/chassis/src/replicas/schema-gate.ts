import type { Collection, Db } from 'mongodb';
import { retryTransient } from '../mongo/mongo';
import { exitStatuses, StartRefusal } from '../start-refusal';
import { isOlder } from '../version';
import { ReplicaStore } from './replica-store';

interface SchemaDocument {
  readonly _id: 'schema';
  /** Number of the last step that was taken. */
  readonly version: number;
  /** First release that works with the data. */
  readonly needs: string;
}

/** Change of stored data that releases before `needs` cannot work with. */
export interface SchemaStep {
  /** Counts 1, 2, 3 … per service. */
  readonly version: number;
  readonly needs: string;
  /** May run again after a crash, and in several replicas. */
  readonly run: () => Promise<void>;
}

/** Keeps releases away from data that they cannot work with. */
export class SchemaGate {
  private readonly schema: Collection<SchemaDocument>;
  private readonly replicas: ReplicaStore;

  constructor(
    db: Db,
    private readonly release: string,
  ) {
    this.schema = db.collection('schema');
    this.replicas = new ReplicaStore(db);
  }

  /**
   * Refuses the start of a release that the data no longer supports. Called after the replica's
   * first heartbeat: either a step sees the heartbeat, or this call sees the step.
   */
  async check(): Promise<void> {
    const needs = (await this.read())?.needs;
    if (needs === undefined || !isOlder(this.release, needs)) return;
    const message = `This data needs release ${needs} or later`;
    throw new StartRefusal(exitStatuses.configuration, message);
  }

  /**
   * Takes a step, unless it was taken before. False while a replica of an older release has a
   * heartbeat; the caller tries again later.
   */
  async take({ version, needs, run }: SchemaStep): Promise<boolean> {
    const stored = await this.read();
    if (stored !== undefined && stored.version >= version) return true;
    if (await this.hasOlderReplica(needs)) return false;
    await this.write({ version: stored?.version ?? 0, needs });
    // An older replica may have started since. It stays until it ends and is then refused.
    if (await this.hasOlderReplica(needs)) return false;
    await run();
    await this.write({ version, needs });
    return true;
  }

  private async hasOlderReplica(needs: string): Promise<boolean> {
    const replicas = await retryTransient(() => this.replicas.list());
    return replicas.some(({ release }) => isOlder(release, needs));
  }

  private async read(): Promise<SchemaDocument | undefined> {
    return (await retryTransient(() => this.schema.findOne({ _id: 'schema' }))) ?? undefined;
  }

  private async write(fields: Pick<SchemaDocument, 'version' | 'needs'>): Promise<void> {
    await retryTransient(() =>
      this.schema.updateOne({ _id: 'schema' }, { $set: fields }, { upsert: true }),
    );
  }
}
