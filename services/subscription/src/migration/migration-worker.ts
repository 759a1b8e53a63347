import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { atBoundary } from '@billing/chassis/failpoint';
import { derivedId, newId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import { unchanged } from '@billing/kernel/transition';
import type { Changes } from '../change/change-store';
import { cancelChange, isStoredChange } from '../lifecycle/apply-change';
import { decideAfterDueSteps } from '../lifecycle/due-steps';
import { decisionOn, type Subscriptions } from '../storage/subscription-store';
import type { Subscription } from '../subscription/subscription';
import { changedRow, type MigratedSubscription, skippedRow } from './migrated-subscription';
import { migrate, type Migrated, type MigrationOrder } from './migrate-subscription';
import {
  endTakingBack,
  failedTries,
  hasLease,
  lease,
  type MigrationFailure,
  type PriceMigration,
  recordBatch,
  recordFailures,
  releaseLease,
  renewLease,
} from './price-migration';
import type { MigrationCandidates, MigrationRows } from './price-migration-store';

export interface MigrationDependencies {
  readonly migrations: AggregateCollection<PriceMigration>;
  readonly rows: MigrationRows;
  readonly candidates: MigrationCandidates;
  readonly subscriptions: Subscriptions;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
}

// Longer than any step of a worker: its context ends after 30 s.
const leaseMs = 60_000;
// Then the lease is released, so that a deadline never cuts a batch.
const workMs = 15_000;
const batchSize = 20;
// Then a subscription is skipped whose change always fails.
const triesMax = 4;
const retryMs = 5_000;

/** Work of one call on a job that it has by its lease. */
interface Work {
  readonly id: string;
  readonly owner: string;
  readonly context: CallContext;
  /** Real time in milliseconds. */
  readonly workUntil: number;
}

/**
 * Carries out price migrations, batch by batch. A worker has a job by its lease; after a crash the
 * lease runs out, and another worker continues at the cursor. Ids are derived, so that nothing
 * happens twice if two workers have the job.
 */
export class MigrationWorker {
  constructor(private readonly dependencies: MigrationDependencies) {}

  /** Works on a job, unless another worker has it. */
  async resume(id: string, context: CallContext): Promise<void> {
    const realNow = this.now();
    const owner = newId();
    const migrations = this.dependencies.migrations.within(context);
    const until = this.after(leaseMs);
    let stored = await migrations.mutate(id, (current) =>
      lease(current, { realNow, owner, until }),
    );
    const work: Work = { id, owner, context, workUntil: realNow.getTime() + workMs };
    while (hasLease(stored.state, work)) {
      if (this.isOver(work)) {
        await this.release(work, this.now());
        return;
      }
      const { state, createdAt } = stored;
      if (state.status === 'CANCELED') await this.takeAllBack(work);
      else await this.runBatch(state, createdAt, work);
      stored = await migrations.get(id);
    }
  }

  /** Processes the next subscriptions of a job. */
  private async runBatch(migration: PriceMigration, startedAt: Date, work: Work): Promise<void> {
    const { candidates, migrations } = this.dependencies;
    const { context, owner } = work;
    const { id, cursor: after } = migration;
    const ids = await candidates.next(migration, { startedAt, limit: batchSize }, context);
    const rows: MigratedSubscription[] = [];
    const failures: MigrationFailure[] = [];
    for (const subscriptionId of ids) {
      const tried = await this.attempt(migration, subscriptionId, context);
      if (tried.row !== undefined) rows.push(tried.row);
      if (tried.failure !== undefined) failures.push(tried.failure);
    }
    const cursor = ids.at(-1) ?? null;
    const { state } = await atBoundary('priceMigration', 'record', () =>
      migrations.within(context).mutate(id, (current, now) => {
        if (failures.length > 0) {
          return recordFailures(current, failures, { owner, until: this.after(retryMs) });
        }
        const held = { owner, until: this.after(leaseMs) };
        return recordBatch(current, { after, cursor, rows }, { now, ...held });
      }),
    );
    // Another worker may have ended the job before this one has stored the changes of its batch.
    const isLate = state.status === 'CANCELED' && !hasLease(state, work);
    if (isLate) for (const one of ids) await this.takeBack(id, one, context);
  }

  /** Processes one subscription. After the last try that fails it is skipped. */
  private async attempt(
    migration: PriceMigration,
    subscriptionId: string,
    context: CallContext,
  ): Promise<{ readonly row?: MigratedSubscription; readonly failure?: MigrationFailure }> {
    const { rows, candidates, logger } = this.dependencies;
    const { id } = migration;
    try {
      const row = await this.process(migration, subscriptionId, context);
      return row === undefined ? {} : { row };
    } catch (error) {
      if (context.signal.aborted) throw error;
      const tries = failedTries(migration, subscriptionId) + 1;
      const what = { err: error, migrationId: id, subscriptionId, tries };
      if (tries < triesMax) {
        logger.warn(what, 'change of a price migration failed, retrying');
        return { failure: { subscriptionId, tries } };
      }
      logger.error(what, 'change of a price migration failed, subscription skipped');
      const customerId = await candidates.customerIdOf(subscriptionId, context);
      const skipped = skippedRow({ id: subscriptionId, customer: { id: customerId } }, null);
      return { row: await rows.record(id, skipped, context) };
    }
  }

  /** Processes one subscription; undefined: it does not have the price any more. */
  private async process(
    migration: PriceMigration,
    subscriptionId: string,
    context: CallContext,
  ): Promise<MigratedSubscription | undefined> {
    const { rows } = this.dependencies;
    const { id } = migration;
    const earlier = await rows.find(id, subscriptionId, context);
    if (earlier !== undefined) return earlier;
    const row = migration.dryRun
      ? await this.computeRow(migration, subscriptionId, context)
      : await this.changeSubscription(migration, subscriptionId, context);
    if (row === undefined) return undefined;
    return atBoundary('priceMigration', 'row', () => rows.record(id, row, context));
  }

  /** The row that a job would have, without a change. */
  private async computeRow(
    migration: PriceMigration,
    subscriptionId: string,
    context: CallContext,
  ): Promise<MigratedSubscription | undefined> {
    const { state, updatedAt } = await this.dependencies.subscriptions.get(subscriptionId, context);
    const now = updatedAt > context.now ? updatedAt : context.now;
    const found: { row?: MigratedSubscription | undefined } = {};
    decideAfterDueSteps(state, decisionOn(subscriptionId, context.tenant, now), (current) => {
      const { transition, row } = migrate(current, orderOf(migration, current, context), now);
      found.row = row && { ...row, changeId: null };
      return transition;
    });
    return found.row;
  }

  private async changeSubscription(
    migration: PriceMigration,
    subscriptionId: string,
    context: CallContext,
  ): Promise<MigratedSubscription | undefined> {
    const { subscriptions, changes } = this.dependencies;
    const found: { migrated?: Migrated } = {};
    const { state } = await atBoundary('priceMigration', 'change', () =>
      subscriptions.change(subscriptionId, context, (before, decision) =>
        decideAfterDueSteps(before, decision, (current) => {
          const order = orderOf(migration, current, context);
          delete found.migrated;
          // An earlier worker has stored it; a caller may have taken it back since.
          if (isStoredChange(current.changes, order.changeId)) return unchanged(current);
          found.migrated = migrate(current, order, decision.now);
          return found.migrated.transition;
        }),
      ),
    );
    if (found.migrated !== undefined) return found.migrated.row;
    const { changeId } = orderOf(migration, state, context);
    return changedRow(state, await changes.get(state, changeId, context));
  }

  /**
   * Takes back changes of a canceled job that still wait, page by page. The job ends after a pass
   * that has found none; a change that cannot be taken back is tried again later.
   */
  private async takeAllBack(work: Work): Promise<void> {
    const { candidates, rows, migrations } = this.dependencies;
    const { id, owner, context } = work;
    const pass = { taken: 0, failed: 0, finished: 0 };
    let after: string | null = null;
    for (;;) {
      const ids: string[] = await candidates.waiting(id, { after, limit: batchSize }, context);
      for (const subscriptionId of ids) {
        pass[await this.tryToTakeBack(id, subscriptionId, context)] += 1;
      }
      after = ids.at(-1) ?? null;
      if (ids.length < batchSize) break;
      if (this.isOver(work) || !(await this.renew(work))) return;
    }
    if (pass.failed > 0) await this.release(work, this.after(leaseMs));
    if (pass.taken + pass.failed > 0) return;
    const counts = await rows.counts(id, context);
    await migrations
      .within(context)
      .mutate(id, (current) => endTakingBack(current, counts, { owner }));
  }

  private async tryToTakeBack(
    id: string,
    subscriptionId: string,
    context: CallContext,
  ): Promise<'taken' | 'failed' | 'finished'> {
    try {
      return await this.takeBack(id, subscriptionId, context);
    } catch (error) {
      if (context.signal.aborted) throw error;
      const what = { err: error, migrationId: id, subscriptionId };
      this.dependencies.logger.warn(what, 'change of a canceled price migration was not canceled');
      return 'failed';
    }
  }

  /** Takes back the change of a job, if there is one that waits. */
  private async takeBack(
    migrationId: string,
    subscriptionId: string,
    context: CallContext,
  ): Promise<'taken' | 'finished'> {
    const { subscriptions, changes, rows } = this.dependencies;
    const changeId = changeIdOf(migrationId, subscriptionId, context);
    const found = { isWaiting: false };
    const { state } = await atBoundary('priceMigration', 'cancelPending', () =>
      subscriptions.change(subscriptionId, context, (before, decision) =>
        decideAfterDueSteps(before, decision, (current) => {
          found.isWaiting = current.changes.waiting?.id === changeId;
          return cancelChange(current, changeId, decision.now);
        }),
      ),
    );
    const change = await changes.find(state, changeId, context);
    if (change !== undefined) await rows.record(migrationId, changedRow(state, change), context);
    return found.isWaiting ? 'taken' : 'finished';
  }

  private async renew({ id, owner, context }: Work): Promise<boolean> {
    const held = { owner, until: this.after(leaseMs) };
    const { state } = await this.dependencies.migrations
      .within(context)
      .mutate(id, (current) => renewLease(current, held));
    return hasLease(state, held);
  }

  private async release({ id, owner, context }: Work, until: Date): Promise<void> {
    await this.dependencies.migrations
      .within(context)
      .mutate(id, (current) => releaseLease(current, { owner, until }));
  }

  private isOver({ workUntil, context }: Work): boolean {
    return this.now().getTime() > workUntil || context.signal.aborted;
  }

  private after(ms: number): Date {
    return new Date(this.now().getTime() + ms);
  }

  private now(): Date {
    return this.dependencies.clock.now();
  }
}

/** Records in the rows of price migrations how their changes of a subscription have ended. */
export async function recordMigrated(
  id: string,
  context: CallContext,
  { subscriptions, rows }: { readonly subscriptions: Subscriptions; readonly rows: MigrationRows },
): Promise<void> {
  const { state } = await subscriptions.getRecent(id, context);
  for (const change of state.changes.finished) {
    const { migrationId } = change;
    if (migrationId === undefined) continue;
    await rows.record(migrationId, changedRow(state, change), context);
  }
}

function orderOf(
  { id: migrationId, exchange, movesMeters, notBefore }: PriceMigration,
  { id: subscriptionId }: Pick<Subscription, 'id'>,
  context: Pick<CallContext, 'tenant'>,
): MigrationOrder {
  const changeId = changeIdOf(migrationId, subscriptionId, context);
  const order = { migrationId, exchange, movesMeters, changeId };
  return notBefore === undefined ? order : { ...order, notBefore };
}

function changeIdOf(
  migrationId: string,
  subscriptionId: string,
  { tenant: { environmentId } }: Pick<CallContext, 'tenant'>,
): string {
  return derivedId(environmentId, migrationId, subscriptionId, 'change');
}
