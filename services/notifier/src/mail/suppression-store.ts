import type { Collection, Db } from 'mongodb';
import { derivedId } from '@billing/chassis/ids';
import { insertMissing } from '@billing/chassis/inserts';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';

/** An address to which no mail is sent, since it refused one. Only inserted and deleted. */
export interface Suppression {
  /** Derived from environment and address, so that an address has at most one. */
  readonly _id: string;
  readonly environmentId: string;
  /** In lower case. */
  readonly email: string;
  readonly reason: 'HARD_BOUNCE' | 'COMPLAINT';
  /** The mail that was refused. */
  readonly emailId: string;
  /** Recipient of that mail; absent in suppressions of earlier releases. */
  readonly customerId?: string;
  /** Real time. */
  readonly createdAt: Date;
}

/** The suppressed addresses of each environment. */
export class SuppressionStore {
  private readonly suppressions: Collection<Suppression>;

  constructor(db: Db) {
    this.suppressions = db.collection<Suppression>('emailSuppressions');
  }

  async ensureIndexes(): Promise<void> {
    await ensureIndexes(this.suppressions, [
      { name: 'list', key: { environmentId: 1, createdAt: -1, _id: -1 } },
      { name: 'customer', key: { environmentId: 1, customerId: 1 } },
    ]);
  }

  /**
   * Suppresses an address; leaves an earlier suppression as it is. A mail of a deleted customer has
   * no address any more.
   */
  async add(
    environmentId: string,
    { email, ...fact }: Required<Omit<Suppression, '_id' | 'environmentId'>>,
  ): Promise<void> {
    if (email === '') return;
    const address = email.toLowerCase();
    const suppression = { ...fact, environmentId, email: address };
    await insertMissing(this.suppressions, [
      { _id: suppressionId(environmentId, address), ...suppression },
    ]);
  }

  /** True if an address was suppressed by another mail than the given one. */
  async isSuppressed(environmentId: string, email: string, emailId: string): Promise<boolean> {
    const _id = suppressionId(environmentId, email.toLowerCase());
    const found = await retryTransient(() =>
      this.suppressions.findOne({ _id, environmentId }, { projection: { emailId: 1 } }),
    );
    return found !== null && found.emailId !== emailId;
  }

  /** One page and the number of all; with an address or an id, only that suppression. */
  async list(
    environmentId: string,
    {
      page,
      perPage,
      oldestFirst,
      email,
      id,
    }: {
      readonly page: number;
      readonly perPage: number;
      readonly oldestFirst: boolean;
      readonly email: string | undefined;
      readonly id: string | undefined;
    },
  ): Promise<{ data: Suppression[]; total: number }> {
    const ofAddress =
      email === undefined ? undefined : suppressionId(environmentId, email.toLowerCase());
    const _id = id ?? ofAddress;
    const filter = { environmentId, ...(_id !== undefined && { _id }) };
    const direction = oldestFirst ? 1 : -1;
    const [data, total] = await Promise.all([
      retryTransient(() =>
        this.suppressions
          .find(filter)
          .sort({ createdAt: direction, _id: direction })
          .skip((page - 1) * perPage)
          .limit(perPage)
          .toArray(),
      ),
      retryTransient(() => this.suppressions.countDocuments(filter)),
    ]);
    return { data, total };
  }

  /** Removes the suppression of an address, if there is one. */
  async removeAddress(environmentId: string, email: string): Promise<void> {
    await this.remove(environmentId, suppressionId(environmentId, email.toLowerCase()));
  }

  /** Removes the suppressions by refused mails to a customer at any address. */
  async removeCustomer(environmentId: string, customerId: string): Promise<void> {
    await retryTransient(() => this.suppressions.deleteMany({ environmentId, customerId }));
  }

  /** Returns false if the environment has no such suppression. */
  async remove(environmentId: string, id: string): Promise<boolean> {
    const { deletedCount } = await retryTransient(() =>
      this.suppressions.deleteOne({ _id: id, environmentId }),
    );
    return deletedCount > 0;
  }
}

function suppressionId(environmentId: string, address: string): string {
  return derivedId(environmentId, 'emailSuppression', address);
}
