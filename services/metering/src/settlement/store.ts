import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { ensureIndexes, duplicateKeyIndex, retryTransient } from '@billing/chassis/mongo';
import { fromStoredSet, type StoredSet } from '../span/named-set';
import type { SettledUsage, Settlement } from './settlement';

type Count = number | bigint;

/** A stored settlement; immutable. */
interface SettlementDocument extends Omit<Settlement, 'number' | 'usages'> {
  /** `<environment>:<subscription>:<key>`. */
  readonly _id: string;
  readonly environmentId: string;
  readonly number: Count;
  readonly usages: readonly UsageDocument[];
}

interface UsageDocument extends Omit<SettledUsage, 'periodIndex' | 'set'> {
  readonly periodIndex: Count;
  readonly set?: StoredSet;
}

export type SettlementCollection = Collection<SettlementDocument>;

export function openSettlements(db: Db): SettlementCollection {
  return db.collection<SettlementDocument>('usageSettlements');
}

export async function ensureSettlementIndexes(settlements: SettlementCollection): Promise<void> {
  await ensureIndexes(settlements, [
    { name: 'number', key: { environmentId: 1, subscriptionId: 1, number: 1 }, unique: true },
    {
      name: 'period',
      key: { environmentId: 1, subscriptionId: 1, 'usages.periodIndex': 1 },
    },
  ]);
}

/** Settlements of one environment. */
export class SettlementStore {
  constructor(
    private readonly settlements: SettlementCollection,
    private readonly tenant: Tenant,
  ) {}

  async find(subscriptionId: string, key: string): Promise<Settlement | undefined> {
    const { environmentId } = this.tenant;
    const _id = this.idOf({ subscriptionId, key });
    const found = await retryTransient(() =>
      this.settlements.findOne({ _id, environmentId, subscriptionId }),
    );
    return found === null ? undefined : fromDocument(found);
  }

  /** Number of the subscription's latest settlement; 0 if there is none. */
  async lastNumber(subscriptionId: string): Promise<number> {
    const { environmentId } = this.tenant;
    const found = await retryTransient(() =>
      this.settlements
        .find({ environmentId, subscriptionId })
        .project<Pick<SettlementDocument, 'number'>>({ number: 1 })
        .sort({ number: -1 })
        .limit(1)
        .next(),
    );
    return Number(found?.number ?? 0);
  }

  /**
   * Settlements of a subscription with usage of some periods, in no particular order, excluding
   * some keys.
   */
  async ofPeriods(
    subscriptionId: string,
    {
      periodIndexes,
      exceptKeys,
    }: { periodIndexes: ReadonlySet<number>; exceptKeys: readonly string[] },
  ): Promise<Settlement[]> {
    const { environmentId } = this.tenant;
    const found = await retryTransient(() =>
      this.settlements
        .find({
          environmentId,
          subscriptionId,
          'usages.periodIndex': { $in: [...periodIndexes] },
          key: { $nin: [...exceptKeys] },
        })
        .toArray(),
    );
    return found.map(fromDocument);
  }

  /** False if the key or the number is already in use: a concurrent settlement was stored first. */
  async insert(settlement: Settlement): Promise<boolean> {
    const { environmentId } = this.tenant;
    const _id = this.idOf(settlement);
    try {
      await retryTransient(() => this.settlements.insertOne({ _id, environmentId, ...settlement }));
      return true;
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }

  private idOf({ subscriptionId, key }: Pick<Settlement, 'subscriptionId' | 'key'>): string {
    return `${this.tenant.environmentId}:${subscriptionId}:${key}`;
  }
}

function fromDocument({ subscriptionId, key, number, usages }: SettlementDocument): Settlement {
  return {
    subscriptionId,
    key,
    number: Number(number),
    usages: usages.map(({ set, ...usage }) => ({
      ...usage,
      periodIndex: Number(usage.periodIndex),
      ...(set !== undefined && { set: fromStoredSet(set) }),
    })),
  };
}
