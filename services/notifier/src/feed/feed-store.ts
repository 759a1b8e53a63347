import { type Collection, type Db, MongoBulkWriteError } from 'mongodb';
import { insertedBefore } from '@billing/chassis/inserts';
import { duplicateKeyIndex, ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import type { Message } from '../message/message-store';
import type { FeedMessage } from './feed-run';
import { inBatches } from '../message/batches';

/** Position of a message in the feed of its environment. Only inserted; removed by retention. */
export interface FeedEntry {
  /** `<environment>:<restore code>:<position>`, the position with leading zeros. */
  readonly _id: string;
  readonly environmentId: string;
  readonly restoreCode: string;
  readonly messageId: string;
  readonly type: string;
  /** Real time of the message's acceptance. */
  readonly acceptedAt: Date;
}

/** An entry with its position as a number. */
export interface PlacedEntry extends Pick<FeedEntry, 'messageId' | 'type' | 'acceptedAt'> {
  /** 1, 2, 3 … in the environment. */
  readonly position: number;
}

type StoredMessage = Pick<
  Message,
  '_id' | 'environmentId' | 'subscriptionId' | 'sequence' | 'restoreCodes' | 'type' | 'acceptedAt'
>;

const positionDigits = 12;
/** Highest position that a cursor may name. */
export const positionMax = 10 ** positionDigits - 1;

const orderFields = {
  environmentId: 1,
  subscriptionId: 1,
  sequence: 1,
  restoreCodes: 1,
  type: 1,
  acceptedAt: 1,
} as const;

/**
 * The feed of each environment, and the messages that belong into it. After a restore it begins
 * again, under the code of the restore.
 */
export class FeedStore {
  private readonly feed: Collection<FeedEntry>;
  private readonly messages: Collection<Message>;

  /** `currentCode` returns the code of the last restore; null before any. */
  constructor(
    db: Db,
    private readonly currentCode: () => string | null = () => null,
  ) {
    this.feed = db.collection<FeedEntry>('feed');
    this.messages = db.collection<Message>('messages');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.feed, [
      {
        name: 'message',
        key: { environmentId: 1, restoreCode: 1, messageId: 1 },
        unique: true,
      },
    ]);
  }

  /** Code of the last restore, empty before any. */
  get restoreCode(): string {
    return this.currentCode() ?? '';
  }

  /** Removes the entries of feeds before the last restore. */
  async removeEarlier(): Promise<void> {
    const filter = { restoreCode: { $ne: this.restoreCode } };
    await retryTransient(() => this.feed.deleteMany(filter));
  }

  /** Position of the newest entry; 0 if there is none. */
  async lastPosition(environmentId: string): Promise<number> {
    return (await this.edge(environmentId, -1)) ?? 0;
  }

  /** Position of the oldest kept entry, if any. */
  firstPosition(environmentId: string): Promise<number | undefined> {
    return this.edge(environmentId, 1);
  }

  /** Returns those of the messages that have a position. */
  async findPlaced(
    environmentIds: readonly string[],
    messageIds: readonly string[],
  ): Promise<Set<string>> {
    if (messageIds.length === 0) return new Set();
    const environmentId = { $in: [...environmentIds] };
    const { restoreCode } = this;
    const found = await retryTransient(() =>
      this.feed
        .find({ environmentId, restoreCode, messageId: { $in: [...messageIds] } })
        .project<Pick<FeedEntry, 'messageId'>>({ messageId: 1 })
        .toArray(),
    );
    return new Set(found.map(({ messageId }) => messageId));
  }

  /** Returns the entry of a message, if it has one. */
  async findEntry(environmentId: string, messageId: string): Promise<PlacedEntry | undefined> {
    const { restoreCode } = this;
    const found = await retryTransient(() =>
      this.feed.findOne({ environmentId, restoreCode, messageId }),
    );
    return found === null ? undefined : toPlaced(found);
  }

  /**
   * Inserts a run of messages at the positions after `end`, in order. Stops at the first position
   * or message that is taken, and returns the number of messages before it.
   */
  async insert(environmentId: string, end: number, run: readonly FeedMessage[]): Promise<number> {
    const { restoreCode } = this;
    const entries = run.map(({ _id: messageId, type, acceptedAt }, index) => ({
      _id: this.entryId(environmentId, end + index + 1),
      environmentId,
      restoreCode,
      messageId,
      type,
      acceptedAt,
    }));
    try {
      await retryTransient(() => this.feed.insertMany(entries, { ordered: true }));
      return entries.length;
    } catch (error) {
      const isTaken =
        error instanceof MongoBulkWriteError || duplicateKeyIndex(error) !== undefined;
      if (!isTaken || duplicateKeyIndex(error) === undefined) throw error;
      return insertedBefore(error);
    }
  }

  /** Returns entries after a position, in order. */
  async readAfter(environmentId: string, after: number, limit: number): Promise<PlacedEntry[]> {
    const _id = { ...this.idsOf(environmentId), $gt: this.entryId(environmentId, after) };
    const found = await retryTransient(() =>
      this.feed.find({ environmentId, _id }).sort({ _id: 1 }).limit(limit).toArray(),
    );
    return found.map(toPlaced);
  }

  /** Returns stored messages of an environment by id, as the feed orders them. */
  async findMessages(environmentId: string, ids: readonly string[]): Promise<FeedMessage[]> {
    if (ids.length === 0) return [];
    return retryTransient(() =>
      this.messages
        .find({ _id: { $in: [...ids] }, environmentId })
        .project<StoredMessage>(orderFields)
        .toArray(),
    );
  }

  /**
   * Yields messages accepted since a time in batches, oldest first: of one environment, or of all.
   */
  async *findAcceptedSince(
    since: Date,
    { environmentId, batchSize }: { environmentId?: string | undefined; batchSize: number },
  ): AsyncGenerator<FeedMessage[]> {
    const cursor = this.messages
      .find({ acceptedAt: { $gte: since }, ...(environmentId !== undefined && { environmentId }) })
      .project<StoredMessage>(orderFields)
      .sort({ acceptedAt: 1 })
      .batchSize(batchSize);
    yield* inBatches(cursor, batchSize);
  }

  /** Yields the environments that have a feed. */
  async *environments(): AsyncGenerator<string> {
    let after = '';
    for (;;) {
      const next = await retryTransient(() =>
        this.feed
          .find({ _id: { $gt: after } })
          .sort({ _id: 1 })
          .limit(1)
          .toArray(),
      );
      const [first] = next;
      if (first === undefined) return;
      yield first.environmentId;
      // Sorts after all its entries, under any code.
      after = `${first.environmentId};`;
    }
  }

  /**
   * Removes an environment's oldest entries up to the first that was accepted at or after a time,
   * but never the newest entry. Entries go in the order of their positions, so that what remains
   * has no gap.
   */
  async removeBefore(environmentId: string, time: Date, batchSize: number): Promise<void> {
    for (;;) {
      const first = await this.firstPosition(environmentId);
      if (first === undefined) return;
      const entries = await this.readAfter(environmentId, first - 1, batchSize + 1);
      const young = entries.findIndex(({ acceptedAt }) => acceptedAt >= time);
      const count = Math.min(young === -1 ? entries.length : young, entries.length - 1);
      if (count === 0) return;
      const _id = {
        $gte: this.entryId(environmentId, first),
        $lt: this.entryId(environmentId, entries[count]?.position ?? first),
      };
      await retryTransient(() => this.feed.deleteMany({ environmentId, _id }));
      if (count < batchSize) return;
    }
  }

  private async edge(environmentId: string, direction: 1 | -1): Promise<number | undefined> {
    const [entry] = await retryTransient(() =>
      this.feed
        .find({ environmentId, _id: this.idsOf(environmentId) })
        .project<Pick<FeedEntry, '_id'>>({ _id: 1 })
        .sort({ _id: direction })
        .limit(1)
        .toArray(),
    );
    return entry && positionOf(entry);
  }

  private entryId(environmentId: string, position: number): string {
    const digits = String(position).padStart(positionDigits, '0');
    return `${environmentId}:${this.restoreCode}:${digits}`;
  }

  /** Range of the ids of an environment's entries. */
  private idsOf(environmentId: string) {
    const prefix = `${environmentId}:${this.restoreCode}:`;
    return { $gt: prefix, $lt: `${prefix}g` };
  }
}

function positionOf({ _id }: Pick<FeedEntry, '_id'>): number {
  return Number(_id.slice(_id.lastIndexOf(':') + 1));
}

function toPlaced(entry: FeedEntry): PlacedEntry {
  const { messageId, type, acceptedAt } = entry;
  return { position: positionOf(entry), messageId, type, acceptedAt };
}
