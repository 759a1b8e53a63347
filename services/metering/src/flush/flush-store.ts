import type { Collection, Db } from 'mongodb';
import { insertMissing, writeErrorsOf } from '@billing/chassis/inserts';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import type { EventCollections, EventDocument, NewEventDocument } from '../usage/event-store';
import type { Blocker, EventPlace, FlushStorage, InsertedEvents } from './flush-storage';
import type { UsagePart } from './part';

const idsMax = 500;

/** Contributions of flushes to series, not folded yet. */
export type PartCollection = Collection<UsagePart>;

export function openParts(db: Db): PartCollection {
  return db.collection<UsagePart>('usageParts');
}

/** Events and parts of all environments; `FlushStorage` describes each step. */
export class FlushStore implements FlushStorage {
  constructor(
    private readonly events: EventCollections,
    private readonly parts: PartCollection,
  ) {}

  async insertEvents(
    events: readonly NewEventDocument[],
    place: EventPlace,
  ): Promise<InsertedEvents> {
    const errors = await retryTransient(async () => {
      try {
        await this.events.of(place).insertMany([...events], { ordered: false });
        return new Map<number, Error>();
      } catch (error) {
        return writeErrorsOf(error);
      }
    });
    const duplicates = new Set<NewEventDocument>();
    const failed = new Map<NewEventDocument, Error>();
    for (const [index, error] of errors) {
      const event = events[index];
      if (event === undefined) continue;
      if (duplicateKeyIndex(error) === undefined) failed.set(event, error);
      else duplicates.add(event);
    }
    return { duplicates, failed };
  }

  async findEvents(
    ids: readonly string[],
    place: EventPlace,
  ): Promise<Map<string, EventDocument | Blocker>> {
    const events = this.events.of(place);
    const found = new Map<string, EventDocument | Blocker>();
    for (let start = 0; start < ids.length; start += idsMax) {
      const some = ids.slice(start, start + idsMax);
      const documents = await retryTransient(() => events.find({ _id: { $in: some } }).toArray());
      for (const document of documents) found.set(document._id, document);
    }
    return found;
  }

  async takeOver({ _id, ...event }: NewEventDocument, place: EventPlace): Promise<boolean> {
    const { matchedCount } = await retryTransient(() =>
      this.blockers(place).updateOne(
        { _id, blocked: { $exists: true, $ne: event.flush } },
        { $set: event, $unset: { blocked: '' } },
      ),
    );
    return matchedCount > 0;
  }

  async block(ids: readonly string[], flush: string, place: EventPlace): Promise<void> {
    const blockers = this.blockers(place);
    await insertMissing(
      blockers,
      ids.map((_id) => ({ _id, blocked: [flush] })),
    );
    // A blocker of an earlier flush gets this name, too: a take-over by this flush may still take
    // effect.
    await retryTransient(() =>
      blockers.updateMany(
        { _id: { $in: [...ids] }, blocked: { $exists: true, $ne: flush } },
        { $addToSet: { blocked: flush } },
      ),
    );
  }

  insertParts(parts: readonly UsagePart[]): Promise<void> {
    return insertMissing(this.parts, parts);
  }

  async findPartIds(ids: readonly string[]): Promise<Set<string>> {
    const found = await retryTransient(() =>
      this.parts
        .find({ _id: { $in: [...ids] } })
        .project<Pick<UsagePart, '_id'>>({ _id: 1 })
        .toArray(),
    );
    return new Set(found.map(({ _id }) => _id));
  }

  private blockers(place: EventPlace): Collection<Blocker> {
    return this.events.of(place) as unknown as Collection<Blocker>;
  }
}
