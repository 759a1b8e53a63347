import type { Collection, Db, Filter } from 'mongodb';
import type { Clock } from '@billing/chassis/clock';
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
  /** Real time at which the provider had refunded the whole charge; absent: it has not. */
  readonly returnedAt?: Date;
}

// After a restore, an environment whose first documents are lost has none of these.
const environmentCollections = [
  'invoices',
  'checkoutSessions',
  'checkoutLinks',
  'payers',
  'billingSettings',
  'brandings',
];

// An operator may also settle a charge without a refund.
const watchedDays = 30;
const dayMs = 24 * 3_600_000;

/** Charges that `reconcile` lists after a restore. */
export class UnmatchedChargeStore {
  private readonly documents: Collection<UnmatchedCharge>;

  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {
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

  /** Number of charges of the last month that the provider has not refunded. */
  countUnreturned(): Promise<number> {
    return retryTransient(() => this.documents.countDocuments(this.unreturned()));
  }

  /** Asks the provider which of these it has refunded. One that it cannot show holds up none. */
  async recordReturns(isReturned: (providerPaymentId: string) => Promise<boolean>): Promise<void> {
    const found = await retryTransient(() => this.documents.find(this.unreturned()).toArray());
    const failures: unknown[] = [];
    for (const { _id, providerPaymentId } of found) {
      try {
        if (!(await isReturned(providerPaymentId))) continue;
        const returned = { $set: { returnedAt: this.clock.now() } };
        await retryTransient(() => this.documents.updateOne({ _id }, returned));
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  private unreturned(): Filter<UnmatchedCharge> {
    const since = new Date(this.clock.now().getTime() - watchedDays * dayMs);
    return { createdAt: { $gte: since }, returnedAt: { $exists: false } };
  }

  /** True for an environment that has documents of checkout. */
  async isKnown(environmentId: string): Promise<boolean> {
    const filter = { environmentId, createdAt: { $gte: new Date(0) } };
    for (const name of environmentCollections) {
      const found = await retryTransient(() => this.db.collection(name).findOne(filter));
      if (found !== null) return true;
    }
    return false;
  }
}
