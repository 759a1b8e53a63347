import { only, type Transition, unchanged } from '@billing/kernel/transition';
import type { PriceExchange } from '../subscription/price-exchange';
import type { MigratedSubscription } from './migrated-subscription';

type PriceMigrationStatus = 'RUNNING' | 'COMPLETE' | 'CANCELED';

/** A job that moves all subscriptions from one price version to another. */
export interface PriceMigration {
  readonly id: string;
  readonly exchange: PriceExchange;
  /** Product of the old price. */
  readonly fromProductId: string;
  /** True: another product may price the meters afterwards. */
  readonly movesMeters: boolean;
  /** Each subscription moves at its first period start from then on; absent: at its next one. */
  readonly notBefore?: Date;
  /** True: it computes its rows, and changes no subscription. */
  readonly dryRun: boolean;
  readonly status: PriceMigrationStatus;
  /** Id of the last subscription of the last batch; null: none so far. */
  readonly cursor: string | null;
  /** Subscriptions found at the start; once COMPLETE, those that were processed. */
  readonly total: number;
  readonly processed: number;
  readonly scheduled: number;
  readonly skipped: number;
  /** Sums over the scheduled ones, a month, in the currency's smallest unit. */
  readonly monthlyAmountBefore: bigint;
  readonly monthlyAmountAfter: bigint;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly completedAt: Date | null;
  /** Real time until which a worker has the job; in the past: any may take it. Null: no work. */
  readonly leaseUntil: Date | null;
  /** Worker that has the job; null: none has. */
  readonly leaseOwner: string | null;
  /** Subscriptions of the present batch whose change has failed. */
  readonly failures: readonly MigrationFailure[];
}

/** Failed tries to change a subscription. */
export interface MigrationFailure {
  readonly subscriptionId: string;
  readonly tries: number;
}

/** A job that no worker has begun. */
export function startMigration(
  wanted: Pick<PriceMigration, 'id' | 'exchange' | 'dryRun' | 'total' | 'metadata'> &
    Pick<PriceMigration, 'fromProductId' | 'movesMeters' | 'notBefore'>,
  { realNow }: { readonly realNow: Date },
): Transition<PriceMigration> {
  return only({
    ...wanted,
    ...{ status: 'RUNNING', cursor: null, processed: 0, scheduled: 0, skipped: 0 },
    ...{ monthlyAmountBefore: 0n, monthlyAmountAfter: 0n },
    ...{ completedAt: null, leaseUntil: realNow, leaseOwner: null, failures: [] },
  });
}

/** Lease of a worker: its own id, and the real time at which the lease ends. */
export interface Lease {
  readonly owner: string;
  readonly until: Date;
}

/** Gives the job to a worker, unless another one has it or no work is left. */
export function lease(
  migration: PriceMigration,
  { realNow, owner, until }: Lease & { readonly realNow: Date },
): Transition<PriceMigration> {
  const { leaseUntil } = migration;
  if (leaseUntil === null || leaseUntil > realNow) return unchanged(migration);
  return only({ ...migration, leaseUntil: until, leaseOwner: owner });
}

/** True if a worker has the job. A lease that has run out is its own until another one takes it. */
export function hasLease(
  { leaseUntil, leaseOwner }: PriceMigration,
  { owner }: Pick<Lease, 'owner'>,
): boolean {
  return leaseUntil !== null && leaseOwner === owner;
}

/** Lets the lease of a worker go on. */
export function renewLease(migration: PriceMigration, held: Lease): Transition<PriceMigration> {
  if (!hasLease(migration, held)) return unchanged(migration);
  return only({ ...migration, leaseUntil: held.until });
}

/** Ends the lease of a worker, and of no other; `until` is when the next one may take the job. */
export function releaseLease(migration: PriceMigration, held: Lease): Transition<PriceMigration> {
  if (!hasLease(migration, held)) return unchanged(migration);
  return only({ ...migration, leaseUntil: held.until, leaseOwner: null });
}

/** Ends the lease of a worker until the changes that failed are tried again. */
export function recordFailures(
  migration: PriceMigration,
  failures: readonly MigrationFailure[],
  held: Lease,
): Transition<PriceMigration> {
  return releaseLease({ ...migration, failures }, held);
}

/** Failed tries to change a subscription so far. */
export function failedTries(
  { failures }: Pick<PriceMigration, 'failures'>,
  subscriptionId: string,
): number {
  return failures.find((failure) => failure.subscriptionId === subscriptionId)?.tries ?? 0;
}

/** The rows of a batch, and where the next one begins. */
export interface Batch {
  /** Cursor at which the batch began. */
  readonly after: string | null;
  /** Null: no subscription was left. */
  readonly cursor: string | null;
  readonly rows: readonly MigratedSubscription[];
}

/**
 * Counts the rows of a batch, once, and lets the lease go on. A worker that has lost the job counts
 * nothing: the batch is that of another one.
 */
export function recordBatch(
  migration: PriceMigration,
  { after, cursor, rows }: Batch,
  { now, ...held }: Lease & { readonly now: Date },
): Transition<PriceMigration> {
  if (migration.cursor !== after || !hasLease(migration, held)) return unchanged(migration);
  if (cursor !== null) {
    const counted = { ...migration, ...countsOf(migration, rows), failures: [] };
    return only({ ...counted, cursor, leaseUntil: held.until });
  }
  if (migration.status !== 'RUNNING') return unchanged(migration);
  const total = migration.processed;
  return only({ ...ended(migration), total, status: 'COMPLETE', completedAt: now });
}

function ended(migration: PriceMigration): PriceMigration {
  return { ...migration, leaseUntil: null, leaseOwner: null, failures: [] };
}

/** Counts and sums of the rows of a job. */
export type MigrationCounts = Pick<PriceMigration, 'processed' | 'scheduled' | 'skipped'> &
  Pick<PriceMigration, 'monthlyAmountBefore' | 'monthlyAmountAfter'>;

/** Counts and sums after further rows. */
function countsOf(before: MigrationCounts, rows: readonly MigratedSubscription[]): MigrationCounts {
  return rows.reduce<MigrationCounts>(
    (sum, { result, monthlyAmountBefore, monthlyAmountAfter }) =>
      result === 'SKIPPED'
        ? { ...sum, processed: sum.processed + 1, skipped: sum.skipped + 1 }
        : {
            ...{ processed: sum.processed + 1, skipped: sum.skipped },
            scheduled: sum.scheduled + 1,
            monthlyAmountBefore: sum.monthlyAmountBefore + monthlyAmountBefore,
            monthlyAmountAfter: sum.monthlyAmountAfter + monthlyAmountAfter,
          },
    {
      ...{ processed: before.processed, scheduled: before.scheduled, skipped: before.skipped },
      monthlyAmountBefore: before.monthlyAmountBefore,
      monthlyAmountAfter: before.monthlyAmountAfter,
    },
  );
}

/**
 * Stops a job. A worker then cancels its pending changes; one that has the job continues
 * with that.
 */
export function cancelMigration(
  migration: PriceMigration,
  { now, realNow }: { readonly now: Date; readonly realNow: Date },
): Transition<PriceMigration> {
  if (migration.status === 'CANCELED') return unchanged(migration);
  return only({
    ...migration,
    status: 'CANCELED',
    completedAt: migration.completedAt ?? now,
    leaseUntil: migration.leaseUntil ?? realNow,
  });
}

/** Ends the work on a canceled job; a crash may have left rows that no batch has counted. */
export function endTakingBack(
  migration: PriceMigration,
  counts: MigrationCounts,
  held: Pick<Lease, 'owner'>,
): Transition<PriceMigration> {
  if (migration.status !== 'CANCELED' || !hasLease(migration, held)) return unchanged(migration);
  return only({ ...ended(migration), ...counts });
}
