import type { Collection, Db } from 'mongodb';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import type { ReplacedMeterPrices } from './meter-price';
import { fromDocumentMeterPriceSet, type ReplacedMeterPricesDocument } from './store';

type Document = ReplacedMeterPricesDocument & {
  /** Product id and set number, so that the sets of a product sort by number. */
  readonly _id: string;
  readonly environmentId: string;
  /** Start of validity; never null, so that times compare. */
  readonly since: Date;
};

const beginning = new Date(0);

/** Replaced sets of meter prices of one environment. Insert-only. */
export class MeterPriceSetStore {
  private readonly sets: Collection<Document>;

  constructor(
    db: Db,
    private readonly environmentId: string,
  ) {
    this.sets = db.collection<Document>('replacedMeterPrices');
  }

  /** Stores a set. A set that is already stored is identical, because sets never change. */
  async store(replaced: ReplacedMeterPricesDocument): Promise<void> {
    const { environmentId } = this;
    const { productId, set } = replaced;
    const _id = idOf(productId, Number(set.number));
    const document = { _id, environmentId, ...replaced, since: set.since ?? beginning };
    try {
      await retryTransient(() => this.sets.insertOne(document));
    } catch (error) {
      if (duplicateKeyIndex(error) !== '_id_') throw error;
    }
  }

  async find(productId: string, number: number): Promise<ReplacedMeterPrices | undefined> {
    const { environmentId } = this;
    const query = { _id: idOf(productId, number), environmentId };
    return fromDocument(await retryTransient(() => this.sets.findOne(query)));
  }

  /**
   * The newest stored set in force at an instant. A newer one that is not stored yet may have
   * replaced it.
   */
  async findNewestAt(productId: string, at: Date): Promise<ReplacedMeterPrices | undefined> {
    const { environmentId } = this;
    const ofProduct = { $gte: `${productId}:`, $lt: `${productId};` };
    const query = { _id: ofProduct, environmentId, since: { $lte: at } };
    return fromDocument(
      await retryTransient(() => this.sets.find(query).sort({ _id: -1 }).limit(1).next()),
    );
  }
}

function idOf(productId: string, number: number): string {
  return `${productId}:${String(number).padStart(10, '0')}`;
}

function fromDocument(document: Document | null): ReplacedMeterPrices | undefined {
  if (document === null) return undefined;
  const { productId, set, replacedAt } = document;
  return { productId, set: fromDocumentMeterPriceSet(set), replacedAt };
}
