import type { Collection, Db } from 'mongodb';
import { retryTransient } from '@billing/chassis/mongo';

/** Charge of a provider that no invoice has recorded; only operators refund it. */
export interface UnmatchedCharge {
  /** `<provider>:<payment>`. */
  readonly _id: string;
  readonly restoreId: string;
  readonly environmentId: string;
  readonly provider: string;
  readonly providerPaymentId: string;
  readonly amount: bigint;
  readonly currency: string;
  readonly createdAt: Date;
  readonly metadata: Readonly<Record<string, string>>;
  /** Set where the invoice exists. */
  readonly finding?: string;
}

// An environment with a charge has at least one document in one of these.
const environmentCollections = [
  'invoices',
  'checkoutSessions',
  'payers',
  'billingSettings',
  'brandings',
];

/** Charges that `reconcile` lists after a restore. */
export class UnmatchedChargeStore {
  private readonly documents: Collection<UnmatchedCharge>;

  constructor(private readonly db: Db) {
    this.documents = db.collection('unmatchedCharges');
  }

  /** Replaces the list of a restore. Repeatable. */
  async replaceAll(restoreId: string, charges: readonly UnmatchedCharge[]): Promise<void> {
    await retryTransient(() => this.documents.deleteMany({ restoreId }));
    for (const charge of charges) {
      const { _id } = charge;
      await retryTransient(() => this.documents.replaceOne({ _id }, charge, { upsert: true }));
    }
  }

  /** True for an environment of this installation: the provider's account may serve others, too. */
  async isKnown(environmentId: string): Promise<boolean> {
    const filter = { environmentId, createdAt: { $gte: new Date(0) } };
    for (const name of environmentCollections) {
      const found = await retryTransient(() => this.db.collection(name).findOne(filter));
      if (found !== null) return true;
    }
    return false;
  }
}
