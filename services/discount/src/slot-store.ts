import { type Collection, type Db, type Filter } from 'mongodb';
import type { Clock } from '@billing/chassis/clock';
import { type Tenant, timelineOf } from '@billing/chassis/call-context';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import type { Slot, SlotAbove } from './redemption-slot';
import {
  free,
  heldBy,
  type Holder,
  type SlotState,
  type SlotDocument,
  slotId,
} from './slot-document';

export type SlotCollection = Collection<SlotDocument>;

// A discount may have millions of slots: one page is some hundred kilobytes.
const slotsReadMax = 1_000;

const taken = { $in: ['HELD', 'CONFIRMED'] as const };
const unconfirmed = { $unset: { confirmedAt: '' } } as const;

export function openSlots(db: Db): SlotCollection {
  return db.collection<SlotDocument>('redemptionSlots');
}

export async function ensureSlotIndexes(slots: SlotCollection): Promise<void> {
  const ofDiscount = { environmentId: 1, discountId: 1 } as const;
  await ensureIndexes(slots, [
    { name: 'holder', key: { ...ofDiscount, holderId: 1 }, unique: true },
    { name: 'number', key: { ...ofDiscount, number: 1 } },
    { name: 'state', key: { ...ofDiscount, state: 1, number: 1 } },
    { name: 'ask', key: { askAt: 1 } },
  ]);
}

/** Slots of one environment's discounts. */
export class SlotStore {
  constructor(
    private readonly slots: SlotCollection,
    private readonly tenant: Tenant,
    private readonly clock: Clock,
  ) {}

  /** The holders that have a slot of the discount, held or confirmed. */
  async holdersAmong(discountId: string, holderIds: readonly string[]): Promise<Set<string>> {
    const query = { ...this.ofDiscount(discountId), holderId: { $in: [...holderIds] } };
    const found = await retryTransient(() =>
      this.slots.find(query).project<Pick<SlotDocument, 'holderId'>>({ holderId: 1 }).toArray(),
    );
    return new Set(found.map(({ holderId }) => holderId));
  }

  /**
   * Counts held and confirmed slots. A slot taken during the count may be missing, but the count is
   * never too high.
   */
  async count(discountId: string): Promise<number> {
    const last = await this.last(discountId);
    if (last === undefined) return 0;
    const freeBelow = { state: 'FREE' as const, number: { $lte: last.number } };
    const freeCount = await retryTransient(() =>
      this.slots.countDocuments({ ...this.ofDiscount(discountId), ...freeBelow }),
    );
    return last.number - freeCount;
  }

  /** The slot with the highest number. */
  async last(discountId: string): Promise<Slot | undefined> {
    const query = { ...this.ofDiscount(discountId), number: { $gte: 1 } };
    const [last] = await this.find(query, { direction: -1, limit: 1 });
    return last;
  }

  /** Free slots up to a number, ascending. */
  async lowestFree(
    discountId: string,
    { upTo, limit }: { readonly upTo: number; readonly limit: number },
  ): Promise<Slot[]> {
    const query = { ...this.ofDiscount(discountId), state: 'FREE' as const };
    return this.find({ ...query, number: { $gte: 1, $lte: upTo } }, { direction: 1, limit });
  }

  /**
   * The next slots above a number, ascending; empty: no more. Numbers never change, so a concurrent
   * state change skips no slot.
   */
  async above(discountId: string, number: number): Promise<SlotAbove[]> {
    const query = { ...this.ofDiscount(discountId), number: { $gt: number } };
    return this.find(query, { direction: 1, limit: slotsReadMax });
  }

  async isTakenAbove(discountId: string, number: number): Promise<boolean> {
    const query = { ...this.ofDiscount(discountId), state: taken, number: { $gt: number } };
    const slot = await retryTransient(() =>
      this.slots.findOne(query as Filter<SlotDocument>, { projection: { _id: 1 } }),
    );
    return slot !== null;
  }

  /**
   * Adds slots behind the last one, in order, until the first whose number or holder is already in
   * use.
   */
  async add(
    discountId: string,
    added: readonly (Slot & { readonly holder?: Holder })[],
  ): Promise<boolean> {
    if (added.length === 0) return true;
    const { environmentId, organizationId, live } = this.tenant;
    const documents = added.map(({ number, stamp, holder }) => ({
      _id: slotId(discountId, number),
      environmentId,
      organizationId,
      live,
      timeline: timelineOf(this.tenant),
      discountId,
      number,
      stamp,
      ...(holder === undefined ? free(number) : heldBy(holder)),
    }));
    return this.falseIfTaken(async () => {
      await this.slots.insertMany(documents, { ordered: true });
      return true;
    });
  }

  /**
   * Takes a free slot for a holder that has none and has read `version`; false if the slot or the
   * holder is in use, or the version is too old.
   */
  async take(
    discountId: string,
    { number, holder, version }: { number: number; holder: Holder; version: number },
  ): Promise<boolean> {
    const open = { state: 'FREE' as const, stamp: { $lte: version } };
    return this.falseIfTaken(async () => {
      const { modifiedCount } = await this.slots.updateOne(
        { _id: slotId(discountId, number), ...this.ofDiscount(discountId), ...open },
        { $set: { ...heldBy(holder), stamp: version } },
      );
      return modifiedCount > 0;
    });
  }

  /** Closes the free slots above a number for redeemers that have read an earlier version. */
  async stampAbove(
    discountId: string,
    { number, version }: { readonly number: number; readonly version: number },
  ): Promise<void> {
    const query = {
      ...this.ofDiscount(discountId),
      state: 'FREE' as const,
      number: { $gt: number },
      stamp: { $lt: version },
    };
    await retryTransient(() => this.slots.updateMany(query, { $set: { stamp: version } }));
  }

  /** Confirms a slot permanently; false if the holder has none. */
  async confirm(discountId: string, holderId: string): Promise<boolean> {
    const ofHolder = { ...this.ofDiscount(discountId), holderId };
    const confirmed = { state: 'CONFIRMED', askAt: null, confirmedAt: this.clock.now() } as const;
    const { matchedCount } = await retryTransient(() =>
      this.slots.updateOne({ ...ofHolder, state: 'HELD' }, { $set: confirmed }),
    );
    if (matchedCount > 0) return true;
    const known = await retryTransient(() =>
      this.slots.countDocuments({ ...ofHolder, state: 'CONFIRMED' }),
    );
    return known > 0;
  }

  /** Frees a held slot; a confirmed one only if requested. */
  async release(
    discountId: string,
    holderId: string,
    { evenConfirmed }: { readonly evenConfirmed: boolean },
  ): Promise<void> {
    const state = evenConfirmed ? taken : ('HELD' as const);
    const query: Filter<SlotDocument> = { ...this.ofDiscount(discountId), holderId, state };
    const held = await retryTransient(() => this.slots.findOne(query));
    if (held === null) return;
    // The number alone does not prove that the holder is still the same.
    const released: SlotState = free(held.number);
    await retryTransient(() =>
      this.slots.updateOne({ ...query, _id: held._id }, { $set: released, ...unconfirmed }),
    );
  }

  /**
   * Undoes a confirmation that its holder does not know after a restore: the slot is held again,
   * and its holder asked at a time; null: the slot is free. A later confirmation stays.
   */
  async undoConfirmation(
    { _id, discountId, number, holderId, confirmedAt }: SlotDocument,
    askAt: Date | null,
  ): Promise<void> {
    if (confirmedAt === undefined) throw new Error(`No time of confirmation: ${_id}`);
    const same = { _id, ...this.ofDiscount(discountId), holderId, confirmedAt };
    const undone = askAt === null ? free(number) : { state: 'HELD' as const, askAt, timesAsked: 0 };
    await retryTransient(() =>
      this.slots.updateOne({ ...same, state: 'CONFIRMED' }, { $set: undone, ...unconfirmed }),
    );
  }

  private async falseIfTaken(write: () => Promise<boolean>): Promise<boolean> {
    try {
      return await retryTransient(write);
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }

  private async find(
    query: Filter<SlotDocument>,
    { direction, limit }: { direction: 1 | -1; limit: number },
  ): Promise<SlotAbove[]> {
    const found = await retryTransient(() =>
      this.slots
        .find(query)
        .sort({ number: direction })
        .limit(limit)
        .project<Pick<SlotDocument, 'number' | 'stamp' | 'state'>>({
          number: 1,
          stamp: 1,
          state: 1,
        })
        .toArray(),
    );
    return found.map(({ number, stamp, state }) => ({ number, stamp, isFree: state === 'FREE' }));
  }

  private ofDiscount(discountId: string): Pick<SlotDocument, 'environmentId' | 'discountId'> {
    return { environmentId: this.tenant.environmentId, discountId };
  }
}
