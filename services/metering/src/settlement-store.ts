import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { ensureIndexes } from '@billing/chassis/indexes';
import { duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import type { SettledUsage, Settlement } from './settlement';

type Count = number | bigint;

/** A settlement in the database; it never changes. */
interface SettlementDocument extends Omit<Settlement, 'number' | 'usages'> {
  /** `<environment>:<subscription>:<key>`. */
  readonly _id: string;
  readonly environmentId: string;
  readonly number: Count;
  readonly usages: readonly (Omit<SettledUsage, 'periodIndex'> & { readonly periodIndex: Count })[];
}

export type SettlementCollection = Collection<SettlementDocument>;

export function openSettlements(db: Db): SettlementCollection {
  return db.collection<SettlementDocument>('usageSettlements');
}

export async function ensureSettlementIndexes(settlements: SettlementCollection): Promise<void> {
  await ensureIndexes(settlements, [
    { name: 'number', key: { environmentId: 1, subscriptionId: 1, number: 1 }, unique: true },
  ]);
}

/** Settlements of one environment. */
export class SettlementStore {
  constructor(
    private readonly settlements: SettlementCollection,
    private readonly tenant: Tenant,
  ) {}

  /** All of a subscription, in order. */
  async ofSubscription(subscriptionId: string): Promise<Settlement[]> {
    const { environmentId } = this.tenant;
    const found = await retryTransient(() =>
      this.settlements.find({ environmentId, subscriptionId }).sort({ number: 1 }).toArray(),
    );
    return found.map(fromDocument);
  }

  /** False where somebody else has settled meanwhile: for the same key, or another one with the same number. */
  async insert(settlement: Settlement): Promise<boolean> {
    const { environmentId } = this.tenant;
    const { subscriptionId, key } = settlement;
    const _id = `${environmentId}:${subscriptionId}:${key}`;
    try {
      await retryTransient(() => this.settlements.insertOne({ _id, environmentId, ...settlement }));
      return true;
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }
}

function fromDocument({ subscriptionId, key, number, usages }: SettlementDocument): Settlement {
  return {
    subscriptionId,
    key,
    number: Number(number),
    usages: usages.map((usage) => ({ ...usage, periodIndex: Number(usage.periodIndex) })),
  };
}
