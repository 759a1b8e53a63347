import type { Collection, Db } from 'mongodb';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import type { SupersededPrice } from './price';
import { fromDocumentPrice, type SupersededPriceDocument } from './store';

type Document = SupersededPriceDocument & {
  /** Id of the price. */
  readonly _id: string;
  readonly environmentId: string;
};

/** Superseded price versions of one environment. Insert-only. */
export class SupersededPriceStore {
  private readonly prices: Collection<Document>;

  constructor(
    db: Db,
    private readonly environmentId: string,
  ) {
    this.prices = db.collection<Document>('supersededPrices');
  }

  /**
   * Stores a version. A version that is already stored is identical, because versions never change.
   */
  async store(superseded: SupersededPriceDocument): Promise<void> {
    const { environmentId } = this;
    const document = { _id: superseded.price.id, environmentId, ...superseded };
    try {
      await retryTransient(() => this.prices.insertOne(document));
    } catch (error) {
      if (duplicateKeyIndex(error) !== '_id_') throw error;
    }
  }

  async find(priceId: string): Promise<SupersededPrice | undefined> {
    const { environmentId } = this;
    const document = await retryTransient(() =>
      this.prices.findOne({ _id: priceId, environmentId }),
    );
    if (document === null) return undefined;
    const { productId, price, supersededAt } = document;
    return { productId, price: fromDocumentPrice(price), supersededAt };
  }
}
