import type { Collection } from 'mongodb';
import { newId } from '@billing/chassis/ids';
import { retryTransient } from '@billing/chassis/mongo';

/** Distinct values of a sealed hour that has too many for one document. */
export interface ValueChunk {
  readonly _id: string;
  readonly environmentId: string;
  readonly hourId: string;
  readonly sealId: string;
  readonly values: readonly string[];
}

/** Location of the distinct values of a total. */
export interface StoredValues {
  /** Identifies the total among all that were ever made of its hour. */
  readonly sealId: string;
  /** Values stored in the hour document; the rest is in chunks. */
  readonly distinct: readonly string[];
  readonly chunks: number;
}

// With values of 1,000 characters, a chunk stays far below the document size limit.
const chunkMax = 2_000;

/** Distinct values of the hours of one environment that do not fit in the hour document. */
export class DistinctValuesStore {
  constructor(
    private readonly chunks: Collection<ValueChunk>,
    private readonly environmentId: string,
  ) {}

  /** Stores the values of a total. Called before the total is stored. */
  async store(hourId: string, values: readonly string[]): Promise<StoredValues> {
    const sealId = newId();
    if (values.length <= chunkMax) return { sealId, distinct: values, chunks: 0 };
    let chunks = 0;
    for (let start = 0; start < values.length; start += chunkMax) {
      const _id = `${sealId}:${String(chunks)}`;
      const { environmentId } = this;
      const some = values.slice(start, start + chunkMax);
      const chunk = { _id, environmentId, hourId, sealId, values: some };
      await retryTransient(() => this.chunks.replaceOne({ _id }, chunk, { upsert: true }));
      chunks += 1;
    }
    return { sealId, distinct: [], chunks };
  }

  /** Deletes the values of superseded totals, or of a total that was not stored. */
  async delete(
    hourId: string,
    { sealId, isSealed }: { readonly sealId: string; readonly isSealed: boolean },
  ): Promise<void> {
    const others = isSealed ? { $ne: sealId } : sealId;
    const { environmentId } = this;
    await retryTransient(() => this.chunks.deleteMany({ environmentId, hourId, sealId: others }));
  }

  /** Chunks of some hours, for all their totals. */
  async ofHours(hourIds: readonly string[]): Promise<ValueChunk[]> {
    if (hourIds.length === 0) return [];
    const { environmentId } = this;
    return retryTransient(() =>
      this.chunks.find({ environmentId, hourId: { $in: [...hourIds] } }).toArray(),
    );
  }
}
