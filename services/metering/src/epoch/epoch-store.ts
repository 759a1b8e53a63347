import type { Collection, Db } from 'mongodb';
import { insertMissing } from '@billing/chassis/inserts';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { firstName, type Generation } from '../generation/generation';
import type { GenerationStorage } from '../generation/generation-storage';
import type { EpochStorage, SlotCommand, SlotState, SlotSummary, UsageEpoch } from './epoch';

// The driver returns integers as number or bigint.
type Count = number | bigint;

interface EpochDocument {
  readonly _id: typeof epochId;
  readonly current: Count;
  readonly until: Count;
  /** Number of writers registered so far. */
  readonly writers: Count;
  /** Absent in documents of earlier versions. */
  readonly generations?: readonly (Omit<Generation, 'from'> & { readonly from: Count })[];
}

interface SlotDocument {
  /** `<writer>.<slot>`. */
  readonly _id: string;
  readonly writer: Count;
  readonly dead: boolean;
  readonly n: Count;
  readonly epoch: Count | null;
  readonly flush: string;
  readonly ids: readonly string[];
}

interface EpochCollections {
  readonly epoch: Collection<EpochDocument>;
  readonly slots: Collection<SlotDocument>;
}

const epochId = 'epoch';

/** The epochs of all environments; `EpochStorage` describes each step. */
export class EpochStore implements EpochStorage, GenerationStorage {
  private readonly collections: EpochCollections;

  constructor(db: Db) {
    this.collections = {
      epoch: db.collection<EpochDocument>('usageEpoch'),
      slots: db.collection<SlotDocument>('usageSlots'),
    };
  }

  /** Creates the document of the epochs. Events of earlier versions count as epoch 0. */
  async open(now: Date): Promise<void> {
    const first: EpochDocument = { _id: epochId, current: 1, until: 0, writers: 0 };
    await insertMissing(this.collections.epoch, [first]);
    const generations = [{ name: firstName, from: 0, since: now }];
    await retryTransient(() =>
      this.collections.epoch.updateOne(
        { _id: epochId, generations: { $exists: false } },
        { $set: { generations } },
      ),
    );
  }

  async registerWriter(): Promise<number> {
    const found = await retryTransient(() =>
      this.collections.epoch.findOneAndUpdate(
        { _id: epochId },
        { $inc: { writers: 1 } },
        { returnDocument: 'after' },
      ),
    );
    return Number(present(found).writers);
  }

  async readEpoch(): Promise<UsageEpoch> {
    const found = await retryTransient(() => this.collections.epoch.findOne({ _id: epochId }));
    const { current, until, generations = [] } = present(found);
    return {
      current: Number(current),
      until: Number(until),
      generations: generations.map(({ name, from, since }) => ({
        name,
        from: Number(from),
        since,
      })),
    };
  }

  async advanceCurrent(from: number): Promise<void> {
    await retryTransient(() =>
      this.collections.epoch.updateOne(
        { _id: epochId, current: from },
        { $set: { current: from + 1 } },
      ),
    );
  }

  async beginGeneration(
    from: number,
    { name, since }: Pick<Generation, 'name' | 'since'>,
  ): Promise<void> {
    const current = from + 1;
    await retryTransient(() =>
      this.collections.epoch.updateOne(
        { _id: epochId, current: from, 'generations.name': { $ne: name } },
        { $set: { current }, $push: { generations: { name, from: current, since } } },
      ),
    );
  }

  async removeGeneration(name: string): Promise<void> {
    await retryTransient(() =>
      this.collections.epoch.updateOne({ _id: epochId }, { $pull: { generations: { name } } }),
    );
  }

  async raiseUntil(until: number): Promise<void> {
    await retryTransient(() =>
      this.collections.epoch.updateOne({ _id: epochId }, { $max: { until } }),
    );
  }

  async insertSlot({ id, writer }: Pick<SlotState, 'id' | 'writer'>): Promise<void> {
    const slot = { _id: id, writer, dead: false, n: 0, epoch: 0, flush: '', ids: [] };
    try {
      await retryTransient(() => this.collections.slots.insertOne(slot));
    } catch (error) {
      // Inserted by an attempt whose reply was lost.
      if (duplicateKeyIndex(error) === undefined) throw error;
    }
  }

  async changeSlot({ id, n, epoch, flush, ids }: SlotCommand): Promise<boolean> {
    const { matchedCount } = await retryTransient(() =>
      this.collections.slots.updateOne(
        { _id: id, dead: false, n: { $lt: n } },
        { $set: { n, epoch, flush, ids } },
      ),
    );
    return matchedCount > 0;
  }

  async findSlot(id: string): Promise<SlotState | undefined> {
    const found = await retryTransient(() => this.collections.slots.findOne({ _id: id }));
    return found === null ? undefined : { ...toSummary(found), ids: found.ids };
  }

  async findSlots(): Promise<SlotSummary[]> {
    const found = await retryTransient(() =>
      this.collections.slots.find({}).project<Omit<SlotDocument, 'ids'>>({ ids: 0 }).toArray(),
    );
    return found.map(toSummary);
  }

  async fence(writer: number): Promise<void> {
    await retryTransient(() =>
      this.collections.slots.updateMany({ writer }, { $set: { dead: true } }),
    );
  }

  async releaseSlot(id: string): Promise<void> {
    await retryTransient(() =>
      this.collections.slots.updateOne(
        { _id: id, dead: true },
        { $set: { epoch: null, flush: '', ids: [] } },
      ),
    );
  }

  async removeSlot(id: string): Promise<void> {
    await retryTransient(() => this.collections.slots.deleteOne({ _id: id }));
  }
}

function present<T>(document: T | null): T {
  if (document === null) throw new Error('The document of the epochs is missing');
  return document;
}

function toSummary({ _id, writer, dead, n, epoch, flush }: Omit<SlotDocument, 'ids'>): SlotSummary {
  return {
    id: _id,
    writer: Number(writer),
    dead,
    n: Number(n),
    epoch: epoch === null ? null : Number(epoch),
    flush,
  };
}
