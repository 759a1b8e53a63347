import type { Collection, Db } from 'mongodb';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import type { ReplacedMeterPrices } from './meter-price';
import { fromDocumentMeterPriceSet, type ReplacedMeterPricesDocument } from './store';

type Document = ReplacedMeterPricesDocument & {
  /** The product's id and the number of the set, so that a product's sets stand in their order. */
  readonly _id: string;
  readonly environmentId: string;
  /** When it came into force; never null, so that times compare. */
  readonly since: Date;
};

const beginning = new Date(0);

/** The sets of meter prices of one environment that were replaced: only inserted, never changed. */
export class MeterPriceSetStore {
  private readonly sets: Collection<Document>;

  constructor(
    db: Db,
    private readonly environmentId: string,
  ) {
    this.sets = db.collection<Document>('replacedMeterPrices');
  }

  /** Keeps a set; one that is kept already is the same, because no set ever changes. */
  async keep(replaced: ReplacedMeterPricesDocument): Promise<void> {
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

  /** The newest set that had come into force by then; a newer one that is not kept yet may have replaced it since. */
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
