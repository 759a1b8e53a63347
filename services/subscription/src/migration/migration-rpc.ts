import type { Stored } from '@billing/chassis/aggregate';
import {
  type CallContext,
  mayHaveRun,
  newResourceId,
  waitAtMost,
} from '@billing/chassis/call-context';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import { checkMetadata, expectedVersionOf, readPage } from '@billing/chassis/request-fields';
import { rpcService } from '@billing/chassis/rpc';
import { invalidInput } from '@billing/kernel/domain-error';
import { refuseProblems } from '@billing/kernel/input-problems';
import {
  type CancelPriceMigrationRequest,
  type CreatePriceMigrationRequest,
  type MigratedSubscription as ProtoRow,
  type PriceMigration as ProtoMigration,
  type PriceMigrationServiceServer,
  PriceMigrationServiceService,
} from '@billing/proto/billing/subscription/v1/price_migration';
import {
  migrationResults,
  migrationSkipReasons,
  priceMigrationStatuses,
} from '@billing/proto/values/subscription';
import { priceMigrationCallers } from '../peer/callers';
import { checkInstant } from '../change/find-cycle-problems';
import type { Peers } from '../peer/peers';
import type { MigratedSubscription } from './migrated-subscription';
import type { MigrationDependencies } from './migration-worker';
import { cancelMigration, type PriceMigration, startMigration } from './price-migration';
import { readExchange } from './read-migration';

const canceledWithinMs = 8_000;

type MigrationRpcDependencies = Omit<MigrationDependencies, 'subscriptions' | 'changes'> & {
  readonly peers: Peers;
};

/** RPCs of price migrations. */
export function migrationRpc(dependencies: MigrationRpcDependencies) {
  const { migrations, rows } = dependencies;
  return rpcService<PriceMigrationServiceServer>(
    PriceMigrationServiceService,
    {
      createPriceMigration: async (request, context) => ({
        priceMigration: toProtoMigration(await create(request, context, dependencies)),
      }),

      getPriceMigration: async ({ id }, context) => ({
        priceMigration: toProtoMigration(await migrations.within(context).get(id)),
      }),

      listPriceMigrations: async (request, context) => {
        const { data, total } = await migrations.within(context).list(readPage(request));
        return { priceMigrations: data.map(toProtoMigration), total };
      },

      listMigratedSubscriptions: async ({ id, result, ...request }, context) => {
        await migrations.within(context).get(id);
        const named = result === undefined ? undefined : migrationResults.knownName(result);
        if (result !== undefined && named === undefined) {
          throw invalidInput({ result: ['Invalid result'] });
        }
        const page = { ...readPage(request), result: named };
        const { data, total } = await rows.list(id, page, context);
        return { subscriptions: data.map(toProtoRow), total };
      },

      cancelPriceMigration: async (request, context) => ({
        priceMigration: toProtoMigration(await cancelForCaller(request, context, dependencies)),
      }),
    },
    { callers: priceMigrationCallers },
  );
}

/** Cancels a migration, and waits at most 8 s until its worker has stopped. */
export async function cancelForCaller(
  { id, ...request }: CancelPriceMigrationRequest,
  context: CallContext,
  { migrations, clock, logger }: Pick<MigrationRpcDependencies, 'migrations' | 'clock' | 'logger'>,
): Promise<Stored<PriceMigration>> {
  const realNow = clock.now();
  const canceled = await migrations
    .within(context)
    .mutate(
      id,
      (current, now) => cancelMigration(current, { now, realNow }),
      expectedVersionOf(request),
    );
  const until = waitAtMost(canceledWithinMs, context, realNow);
  const isReached = ({ state }: Stored<PriceMigration>) => state.leaseUntil === null;
  const waited = migrations.waitFor(id, context, { isReached, until });
  return elseAsWritten(canceled, waited, { logger, priceMigrationId: id });
}

async function create(
  { fromPriceId, toPriceId, notBefore, dryRun, metadata }: CreatePriceMigrationRequest,
  context: CallContext,
  { migrations, candidates, clock, peers }: MigrationRpcDependencies,
): Promise<Stored<PriceMigration>> {
  const store = migrations.within(context);
  const id = newResourceId(context, 'priceMigration');
  // The prices may have changed since the first call.
  const earlier = mayHaveRun(context) ? await store.find(id) : undefined;
  if (earlier !== undefined) return earlier;
  refuseProblems({ metadata: checkMetadata(metadata) });
  const prices = await readExchange({ fromPriceId, toPriceId }, context, peers);
  const waits = notBefore === undefined ? {} : { notBefore };
  checkInstant(waits, context.now);
  const total = await candidates.count(fromPriceId, context);
  const wanted = {
    ...{ id, ...prices, ...waits, dryRun: dryRun ?? false, total },
    metadata: metadata ?? {},
  };
  const { stored } = await store.insert(startMigration(wanted, { realNow: clock.now() }));
  return stored;
}

function toProtoMigration({ state, version, createdAt }: Stored<PriceMigration>): ProtoMigration {
  const { exchange, status, completedAt, dryRun, total, processed, scheduled, skipped } = state;
  return {
    ...{ id: state.id, fromProductId: state.fromProductId, metadata: state.metadata },
    ...{ dryRun, total, processed, scheduled, skipped },
    monthlyAmountBefore: state.monthlyAmountBefore,
    monthlyAmountAfter: state.monthlyAmountAfter,
    fromPriceId: exchange.fromPriceId,
    toPriceId: exchange.product.price.id,
    toProductId: exchange.product.productId,
    currency: exchange.product.price.currency,
    status: priceMigrationStatuses.valueOf(status),
    completedAt: completedAt ?? undefined,
    notBefore: state.notBefore,
    createdAt,
    version: BigInt(version),
  };
}

function toProtoRow(row: MigratedSubscription): ProtoRow {
  return {
    subscriptionId: row.subscriptionId,
    customerId: row.customerId,
    result: migrationResults.valueOf(row.result),
    reason: migrationSkipReasons.valueOf(row.reason ?? undefined),
    effectiveAt: row.effectiveAt ?? undefined,
    changeId: row.changeId ?? undefined,
    monthlyAmountBefore: row.monthlyAmountBefore,
    monthlyAmountAfter: row.monthlyAmountAfter,
  };
}
