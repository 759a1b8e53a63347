import type { Binary, Collection, Db } from 'mongodb';
import { retryTransient } from '@billing/chassis/mongo';
import { sortableNumber } from '../epoch/sortable-number';
import type { ValueStream } from './merge';
import { countedValues, entryBytes } from './packed-values';

/** Bytes as written, or as the driver returns them. */
export type StoredBytes = Binary | Buffer;

/** Distinct values of a version of a bucket, at most 4,096. */
interface ValuesDocument {
  /** `<bucket>:<version>.<write>:<nnnn>`. */
  readonly _id: string;
  readonly environmentId: string;
  /** Key of the series. */
  readonly k: string;
  /** Distinguishes concurrent writes of the same version. */
  readonly write: string;
  readonly values: StoredBytes;
}

export type ValuesCollection = Collection<ValuesDocument>;

/** Stored values of a bucket. */
export interface StoredValues {
  readonly version: number;
  readonly write: string;
  readonly documents: number;
  /** Values with a count, also a negative one. */
  readonly entries: number;
  /** Values that at least one event carries. */
  readonly counted: number;
}

/** Stored values were deleted while they were read: their bucket has a newer version. */
export class ValuesReplacedError extends Error {}

/** Version of a bucket whose values are written. */
export interface ValuesVersion {
  /** `_id` of the bucket. */
  readonly bucket: string;
  readonly version: number;
  /** Unique id of the write. */
  readonly write: string;
}

const versionWidth = 8;
const documentWidth = 4;

export function openUsageValues(db: Db): ValuesCollection {
  return db.collection<ValuesDocument>('usageValues');
}

/** Distinct values of the buckets of one series. */
export class ValueStore {
  constructor(
    private readonly collection: ValuesCollection,
    private readonly series: { readonly environmentId: string; readonly k: string },
  ) {}

  /** Stores values for a version. Called before the bucket is written. */
  async write(to: ValuesVersion, stream: ValueStream): Promise<StoredValues> {
    const { environmentId, k } = this.series;
    const { version, write } = to;
    const stored = { documents: 0, entries: 0, counted: 0 };
    for await (const values of stream) {
      const _id = idOf(to, stored.documents);
      const document = { _id, environmentId, k, write, values };
      await retryTransient(() =>
        this.collection.replaceOne({ _id, k }, document, { upsert: true }),
      );
      stored.documents += 1;
      stored.entries += values.length / entryBytes;
      stored.counted += countedValues(values);
    }
    return { version, write, ...stored };
  }

  /** Stored values. Reading them fails with ValuesReplacedError if they were deleted. */
  read(bucket: string, stored: StoredValues): ValueStream {
    return { [Symbol.asyncIterator]: () => this.documents(bucket, stored) };
  }

  /**
   * Deletes the values that no version of a bucket from `current` on refers to: those of earlier
   * versions, and those of writes that lost the race for the current one.
   */
  async deleteOthers(
    bucket: string,
    current: Pick<StoredValues, 'version' | 'write'>,
  ): Promise<void> {
    await this.deleteRange(`${bucket}:`, `${bucket}:${versionText(current.version + 1)}`, {
      write: { $ne: current.write },
    });
  }

  /** Deletes all values of a bucket up to a version. */
  async deleteUpTo(bucket: string, version: number): Promise<void> {
    await this.deleteRange(`${bucket}:`, `${bucket}:${versionText(version + 1)}`, {});
  }

  /** Deletes the values of a write. */
  async deleteWrite(
    bucket: string,
    { version, write }: Pick<StoredValues, 'version' | 'write'>,
  ): Promise<void> {
    const prefix = `${bucket}:${versionText(version)}.${write}`;
    await this.deleteRange(`${prefix}:`, `${prefix};`, {});
  }

  private async *documents(bucket: string, stored: StoredValues): AsyncGenerator<Buffer> {
    const { k } = this.series;
    const from = { bucket, version: stored.version, write: stored.write };
    const range = { $gte: idOf(from, 0), $lt: idOf(from, stored.documents) };
    let documents = 0;
    const cursor = this.collection.find({ k, _id: range }).sort({ _id: 1 }).batchSize(8);
    for await (const { _id, values } of cursor) {
      if (_id !== idOf(from, documents)) throw new ValuesReplacedError();
      documents += 1;
      yield bufferOf(values);
    }
    if (documents !== stored.documents) throw new ValuesReplacedError();
  }

  private async deleteRange(from: string, until: string, filter: object): Promise<void> {
    const { k } = this.series;
    await retryTransient(() =>
      this.collection.deleteMany({ k, _id: { $gte: from, $lt: until }, ...filter }),
    );
  }
}

function idOf({ bucket, version, write }: ValuesVersion, document: number): string {
  return `${bucket}:${versionText(version)}.${write}:${sortableNumber(document, documentWidth)}`;
}

function versionText(version: number): string {
  return sortableNumber(version, versionWidth);
}

export function bufferOf(stored: StoredBytes): Buffer {
  return Buffer.isBuffer(stored) ? stored : Buffer.from(stored.buffer);
}
