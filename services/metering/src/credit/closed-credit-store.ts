import type { Collection, Db } from 'mongodb';
import type { Tenant } from '@billing/chassis/call-context';
import { insertMissing } from '@billing/chassis/inserts';
import { ensureIndexes, retryTransient } from '@billing/chassis/mongo';
import { Decimal } from '@billing/kernel/decimal';
import type { CreditAccount, DayBurn, GrantUse } from './account';
import type { ClosedGrant, ClosedPeriod, Closing } from './closing';
import { monthOf } from './unsettled-usage';

type Count = number | bigint;

interface Part {
  readonly _id: string;
  readonly environmentId: string;
  readonly accountId: string;
}

/** A closed grant, under its own id; immutable. */
export interface ClosedGrantDocument extends Part, Omit<ClosedGrant, 'terms'> {
  readonly customerId: string;
  readonly meterId: string;
  readonly terms: Omit<ClosedGrant['terms'], 'id' | 'priority'> & { readonly priority: Count };
}

/** Complete uses of a final period, under `<account>:<period>`; immutable. */
interface ClosedPeriodDocument extends Part, ClosedPeriod {}

/** Burn of one day, under `<account>:<day>`; immutable. */
export interface BurnDayDocument extends Part, DayBurn {}

/** Parts that closing has taken out of credit accounts. */
export interface ClosedCreditCollections {
  readonly grants: Collection<ClosedGrantDocument>;
  readonly periods: Collection<ClosedPeriodDocument>;
  readonly burnDays: Collection<BurnDayDocument>;
}

/** A closed grant of a customer. */
export interface CustomerGrant extends ClosedGrant {
  readonly meterId: string;
}

export function openClosedCredits(db: Db): ClosedCreditCollections {
  return {
    grants: db.collection<ClosedGrantDocument>('creditGrantsClosed'),
    periods: db.collection<ClosedPeriodDocument>('creditPeriodsClosed'),
    burnDays: db.collection<BurnDayDocument>('creditBurnDays'),
  };
}

export async function ensureClosedCreditIndexes({
  grants,
  burnDays,
}: ClosedCreditCollections): Promise<void> {
  await ensureIndexes(grants, [
    {
      name: 'customer',
      key: { environmentId: 1, customerId: 1, 'terms.createdAt': -1, _id: -1 },
    },
    { name: 'expiry', key: { accountId: 1, 'terms.expiresAt': 1 } },
    { name: 'start', key: { accountId: 1, 'terms.effectiveAt': 1 } },
  ]);
  await ensureIndexes(burnDays, [{ name: 'day', key: { accountId: 1, day: 1 } }]);
}

const batchMax = 1_000;
const endOfTime = new Date(8.64e15);

/** Closed parts of the credit accounts of one environment. */
export class ClosedCreditStore {
  constructor(
    private readonly collections: ClosedCreditCollections,
    private readonly tenant: Pick<Tenant, 'environmentId'>,
  ) {}

  /** Stores what is about to be taken out of an account. Until then, the account's part counts. */
  async insert(
    { id: accountId, customerId, meterId }: CreditAccount,
    { grants, periods, burns }: Closing,
  ): Promise<void> {
    const { environmentId } = this.tenant;
    const part = { environmentId, accountId };
    await insertAll(
      this.collections.periods,
      periods.map((one) => ({ _id: `${accountId}:${one.period}`, ...part, ...one })),
    );
    await insertAll(
      this.collections.burnDays,
      burns.map((one) => ({ _id: `${accountId}:${one.day}`, ...part, ...one })),
    );
    await insertAll(
      this.collections.grants,
      grants.map(({ terms: { id: _id, ...terms }, ...grant }) => ({
        _id,
        ...part,
        customerId,
        meterId,
        ...grant,
        terms,
      })),
    );
  }

  /** True if a grant is closed. */
  async hasGrant(_id: string): Promise<boolean> {
    const { environmentId } = this.tenant;
    const filter = { _id, environmentId };
    return (await retryTransient(() => this.collections.grants.findOne(filter))) !== null;
  }

  /** Complete uses of closed periods of an account, by period. */
  async usesOf(
    { id: accountId }: Pick<CreditAccount, 'id'>,
    periods: readonly string[],
  ): Promise<ReadonlyMap<string, readonly GrantUse[]>> {
    const { environmentId } = this.tenant;
    if (periods.length === 0) return new Map();
    const ids = periods.map((period) => `${accountId}:${period}`);
    const filter = { _id: { $in: ids }, environmentId };
    const found = await retryTransient(() => this.collections.periods.find(filter).toArray());
    if (found.length < periods.length) throw new Error('Uses of a closed period are missing');
    return new Map(found.map(({ period, uses }) => [period, uses]));
  }

  /** Closed grants of a customer, newest or oldest first. */
  async *list(
    customerId: string,
    { batchSize, oldestFirst }: { readonly batchSize: number; readonly oldestFirst: boolean },
  ): AsyncGenerator<CustomerGrant> {
    const direction = oldestFirst ? 1 : -1;
    const { environmentId } = this.tenant;
    // The range matches everything. Without it some servers sort all matches instead of walking the
    // index.
    const filter = { environmentId, customerId, 'terms.createdAt': { $lte: endOfTime } };
    const cursor = this.collections.grants
      .find(filter)
      .sort({ 'terms.createdAt': direction, _id: direction })
      .batchSize(batchSize);
    for await (const document of cursor) yield toCustomerGrant(document);
  }

  /** All closed grants of an account, in any order. */
  async ofAccount({ id: accountId }: Pick<CreditAccount, 'id'>): Promise<CustomerGrant[]> {
    const { environmentId } = this.tenant;
    const filter = { accountId, environmentId };
    const found = await retryTransient(() => this.collections.grants.find(filter).toArray());
    return found.map(toCustomerGrant);
  }

  /**
   * Units of an account's closed grants that cover usage at an instant or later. Reads only grants
   * that expire in the month of the instant. The account is read first: a grant that it still has
   * is not closed.
   */
  async grantedBeyond(
    { id: accountId, grants, closed }: Pick<CreditAccount, 'id' | 'grants' | 'closed'>,
    at: Date,
  ): Promise<Decimal> {
    if (closed === undefined) return Decimal.of(0n);
    const { start, end } = monthOf(at);
    let sum = closed.expiring
      .filter(({ month }) => month >= end)
      .reduce(
        (units, { granted }) => units.add(Decimal.parse(granted)),
        Decimal.parse(closed.grantedForever),
      );
    if (!closed.expiring.some(({ month }) => month.getTime() === start.getTime())) return sum;
    const { environmentId } = this.tenant;
    const filter = { accountId, environmentId, 'terms.expiresAt': { $gt: at, $lt: end } };
    const open = new Set(grants.map(({ id }) => id));
    const cursor = this.collections.grants
      .find(filter)
      .project<Pick<ClosedGrantDocument, '_id' | 'amount'>>({ amount: 1 });
    for await (const { _id, amount } of cursor) {
      if (!open.has(_id)) sum = sum.add(Decimal.parse(amount));
    }
    return sum;
  }
}

function toCustomerGrant({
  _id: id,
  meterId,
  amount,
  consumed,
  terms,
}: ClosedGrantDocument): CustomerGrant {
  return { meterId, amount, consumed, terms: { id, ...terms, priority: Number(terms.priority) } };
}

async function insertAll<T extends Part>(
  collection: Collection<T>,
  documents: readonly T[],
): Promise<void> {
  for (let first = 0; first < documents.length; first += batchMax) {
    await insertMissing(collection, documents.slice(first, first + batchMax));
  }
}
