import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import { retryTransient } from '@billing/chassis/mongo';
import { DomainError } from '@billing/kernel/domain-error';
import { only, unchanged } from '@billing/kernel/transition';
import { type Count, readMetadata } from '../storage/item-document';
import type { SubscriptionRecord } from '../subscription/tombstone';
import {
  type ExchangeDocument,
  fromDocumentExchange,
  toDocumentExchange,
} from '../storage/wanted-document';
import type { MigratedSubscription } from './migrated-subscription';
import type { MigrationCounts, PriceMigration } from './price-migration';

type Context = Pick<CallContext, 'tenant' | 'now'>;

type MigrationDocument = Omit<
  PriceMigration,
  | 'id'
  | 'exchange'
  | 'metadata'
  | 'total'
  | 'processed'
  | 'scheduled'
  | 'skipped'
  | 'leaseOwner'
  | 'failures'
  | 'movesMeters'
  | `monthlyAmount${string}`
> & {
  readonly _id: string;
  /** Absent: false; stored while such migrations were refused. */
  readonly movesMeters?: boolean;
  /** Absent: null; stored before leases had owners. */
  readonly leaseOwner?: string | null;
  /** Absent: none; stored before failures were counted. */
  readonly failures?: readonly { readonly subscriptionId: string; readonly tries: Count }[];
  readonly exchange: ExchangeDocument;
  readonly total: Count;
  readonly processed: Count;
  readonly scheduled: Count;
  readonly skipped: Count;
  readonly monthlyAmountBefore: Count;
  readonly monthlyAmountAfter: Count;
  /** JSON text, because keys may contain dots. */
  readonly metadata: string;
};

/** Price migrations as documents. */
export const priceMigrationDefinition: AggregateDefinition<PriceMigration> = {
  collection: 'priceMigrations',
  aggregate: 'priceMigration',
  resource: 'Price migration',
  naturalKey: {
    field: 'fromPriceId',
    // A canceled job has its price until its changes are canceled.
    valueOf: ({ status, leaseUntil, exchange }) =>
      status === 'RUNNING' || leaseUntil !== null ? exchange.fromPriceId : null,
    taken: () =>
      new DomainError(
        'already_exists',
        'PRICE_MIGRATION_RUNNING',
        'A migration of this price is running',
      ),
  },
  recoverAt: ({ leaseUntil }) => leaseUntil ?? undefined,
  toDocument: ({ id: _id, exchange, metadata, ...migration }) => ({
    ...migration,
    exchange: toDocumentExchange(exchange),
    metadata: JSON.stringify(metadata),
  }),
  fromDocument: (document) => {
    const stored = document as unknown as MigrationDocument;
    return {
      id: stored._id,
      exchange: fromDocumentExchange(stored.exchange),
      fromProductId: stored.fromProductId,
      movesMeters: stored.movesMeters ?? false,
      ...(stored.notBefore !== undefined && { notBefore: stored.notBefore }),
      dryRun: stored.dryRun,
      status: stored.status,
      cursor: stored.cursor,
      total: Number(stored.total),
      processed: Number(stored.processed),
      scheduled: Number(stored.scheduled),
      skipped: Number(stored.skipped),
      monthlyAmountBefore: BigInt(stored.monthlyAmountBefore),
      monthlyAmountAfter: BigInt(stored.monthlyAmountAfter),
      metadata: readMetadata(stored.metadata),
      completedAt: stored.completedAt,
      leaseUntil: stored.leaseUntil,
      leaseOwner: stored.leaseOwner ?? null,
      failures: (stored.failures ?? []).map(({ subscriptionId, tries }) => ({
        subscriptionId,
        tries: Number(tries),
      })),
    };
  },
};

/** Result of a job for a subscription, as stored. */
interface MigrationRow extends MigratedSubscription {
  readonly id: string;
  readonly migrationId: string;
}

type RowDocument = Omit<MigrationRow, 'id' | `monthlyAmount${string}`> & {
  readonly _id: string;
  readonly monthlyAmountBefore: Count;
  readonly monthlyAmountAfter: Count;
};

/** Rows of price migrations as documents. */
export const migrationRowDefinition: AggregateDefinition<MigrationRow> = {
  collection: 'priceMigrationRows',
  aggregate: 'priceMigrationRow',
  resource: 'Price migration row',
  indexes: [{ name: 'migration', keys: { migrationId: 1, createdAt: -1, _id: -1 } }],
  fixedFields: ['migrationId'],
  toDocument: ({ id: _id, ...row }) => ({ ...row }),
  fromDocument: (document) => {
    const row = document as unknown as RowDocument;
    return {
      id: row._id,
      migrationId: row.migrationId,
      subscriptionId: row.subscriptionId,
      customerId: row.customerId,
      result: row.result,
      reason: row.reason,
      effectiveAt: row.effectiveAt,
      changeId: row.changeId,
      monthlyAmountBefore: BigInt(row.monthlyAmountBefore),
      monthlyAmountAfter: BigInt(row.monthlyAmountAfter),
    };
  },
};

/** Filter and page of the rows of a job. */
export interface RowPage {
  readonly page: number;
  readonly perPage: number;
  readonly oldestFirst: boolean;
  /** Undefined: any. */
  readonly result: MigratedSubscription['result'] | undefined;
}

/** The rows of price migrations: one for each subscription that a job has processed. */
export class MigrationRows {
  constructor(private readonly rows: AggregateCollection<MigrationRow>) {}

  /** Finds the row of a subscription. */
  async find(
    migrationId: string,
    subscriptionId: string,
    context: Context,
  ): Promise<MigratedSubscription | undefined> {
    const found = await this.rows.within(context).find(rowId(migrationId, subscriptionId));
    return found?.state;
  }

  /**
   * Inserts a row; returns the one that is stored. A row follows its change: it is SCHEDULED until
   * the change is finished, whichever of the two is recorded first.
   */
  async record(
    migrationId: string,
    row: MigratedSubscription,
    context: Context,
  ): Promise<MigratedSubscription> {
    const id = rowId(migrationId, row.subscriptionId);
    const store = this.rows.within(context);
    const next: MigrationRow = { ...row, id, migrationId };
    const { stored, inserted } = await store.insert(only(next));
    if (inserted || !isNewer(row, stored.state)) return stored.state;
    const written = await store.mutate(id, (current) =>
      isNewer(row, current) ? only(next) : unchanged(current),
    );
    return written.state;
  }

  /** One page of a job's rows and their exact count. */
  async list(
    migrationId: string,
    { result, ...page }: RowPage,
    context: Context,
  ): Promise<{ data: MigratedSubscription[]; total: number }> {
    const filter = { migrationId, ...(result !== undefined && { result }) };
    const { data, total } = await this.rows.within(context).list({ filter, ...page });
    return { data: data.map(({ state }) => state), total };
  }

  /** Counts and sums of the rows of a job. */
  async counts(
    migrationId: string,
    { tenant: { environmentId } }: Context,
  ): Promise<MigrationCounts> {
    const { documents } = this.rows;
    const isSkipped = { $eq: ['$result', 'SKIPPED'] };
    const [found] = await retryTransient(() =>
      documents
        .aggregate<Record<keyof MigrationCounts, Count>>([
          { $match: { environmentId, migrationId } },
          {
            $group: {
              _id: null,
              processed: { $sum: 1 },
              skipped: { $sum: { $cond: [isSkipped, 1, 0] } },
              scheduled: { $sum: { $cond: [isSkipped, 0, 1] } },
              // Skipped rows have 0.
              monthlyAmountBefore: { $sum: '$monthlyAmountBefore' },
              monthlyAmountAfter: { $sum: '$monthlyAmountAfter' },
            },
          },
        ])
        .toArray(),
    );
    return {
      processed: Number(found?.processed ?? 0),
      scheduled: Number(found?.scheduled ?? 0),
      skipped: Number(found?.skipped ?? 0),
      monthlyAmountBefore: BigInt(found?.monthlyAmountBefore ?? 0),
      monthlyAmountAfter: BigInt(found?.monthlyAmountAfter ?? 0),
    };
  }
}

function rowId(migrationId: string, subscriptionId: string): string {
  return derivedId(migrationId, 'subscription', subscriptionId);
}

function isNewer(row: MigratedSubscription, stored: MigratedSubscription): boolean {
  if (row.changeId === null) return false;
  if (stored.result === 'SKIPPED') return true;
  return stored.result === 'SCHEDULED' && row.result !== 'SCHEDULED';
}

/** Finds the subscriptions that a job is about. */
export class MigrationCandidates {
  constructor(private readonly records: AggregateCollection<SubscriptionRecord>) {}

  /** Counts the subscriptions with a price that have not ended. */
  async count(priceId: string, { tenant: { environmentId } }: Context): Promise<number> {
    const filter = { environmentId, ...withPrice(priceId), status: { $ne: 'CANCELED' } };
    return retryTransient(() => this.records.documents.countDocuments(filter));
  }

  /**
   * Ids of the next subscriptions that had a price when a job started, in their order. Those that
   * ended since are among them.
   */
  async next(
    { exchange, cursor }: Pick<PriceMigration, 'exchange' | 'cursor'>,
    { startedAt, limit }: { readonly startedAt: Date; readonly limit: number },
    { tenant: { environmentId } }: Context,
  ): Promise<string[]> {
    const filter = {
      environmentId,
      ...withPrice(exchange.fromPriceId),
      createdAt: { $lte: startedAt },
      $and: [{ $or: [{ status: { $ne: 'CANCELED' } }, { endedAt: { $gt: startedAt } }] }],
      ...(cursor !== null && { _id: { $gt: cursor } }),
    };
    return this.ids(filter, limit);
  }

  /**
   * Ids of the next subscriptions in which a change of a job may wait, in their order. Some may
   * have a finished one.
   */
  async waiting(
    migrationId: string,
    { after, limit }: { readonly after: string | null; readonly limit: number },
    { tenant: { environmentId } }: Context,
  ): Promise<string[]> {
    const stored = [{ 'changeFields.migrationId': migrationId }, beforeFields(migrationId)];
    const filter = { environmentId, isTombstone: false, $or: stored };
    return this.ids({ ...filter, ...(after !== null && { _id: { $gt: after } }) }, limit);
  }

  /** Customer of a subscription, also of one whose document this release cannot read. */
  async customerIdOf(id: string, { tenant: { environmentId } }: Context): Promise<string> {
    const { documents } = this.records;
    const filter = { _id: id, environmentId } as Parameters<typeof documents.findOne>[0];
    const projection = { 'customer.id': 1 };
    const found = await retryTransient(() =>
      documents.findOne<{ readonly customer?: { readonly id: string } }>(filter, { projection }),
    );
    return found?.customer?.id ?? '';
  }

  private async ids(filter: Record<string, unknown>, limit: number): Promise<string[]> {
    const { documents } = this.records;
    const found = await retryTransient(() =>
      documents
        .find(filter as Parameters<typeof documents.find>[0])
        .project<{ readonly _id: string }>({ _id: 1 })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),
    );
    return found.map(({ _id }) => _id);
  }
}

// Documents that were stored before `changeFields` have the job in the change.
function beforeFields(migrationId: string): Record<string, unknown> {
  return { 'changes.waiting.migrationId': migrationId };
}

// Documents of earlier releases have one price, not items.
function withPrice(priceId: string): Record<string, unknown> {
  return { isTombstone: false, $or: [{ 'items.price.id': priceId }, { 'price.id': priceId }] };
}
