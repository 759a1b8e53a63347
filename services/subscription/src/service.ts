import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { erasureRpc } from '@billing/chassis/erasure-rpc';
import { exportRpc } from '@billing/chassis/export-rpc';
import type { RecoveryContext } from '@billing/chassis/recovery';
import { searchRpc } from '@billing/chassis/search-rpc';
import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
import { ResultType } from '@billing/proto/billing/search/v1/search';
import type { BillingDependencies } from './billing/create-bill';
import { changeRpc } from './change/change-rpc';
import { changeDefinition, Changes } from './change/change-store';
import { PreviewKeys } from '@billing/chassis/preview-keys';
import { purchasePreviewRpc } from './creation/rpc';
import { subscriptionCommands } from './command/commands';
import type { SubscriptionConfiguration } from './config';
import { erasingSubscriptions } from './erasure/erase-customer';
import { exportedResources } from './export-rpc';
import { InvoiceClient } from './peer/checkout';
import { migrationRpc } from './migration/migration-rpc';
import { MigrationWorker } from './migration/migration-worker';
import {
  MigrationCandidates,
  migrationRowDefinition,
  MigrationRows,
  priceMigrationDefinition,
} from './migration/price-migration-store';
import { connectPeers } from './peer/peers';
import { adoptRemadeBill } from './recovery/reassert-remade-bill';
import type { StandingDependencies } from './recovery/reassert-period-bills';
import { reassertSubscriptions } from './recovery/reassert-subscription';
import { planRpc } from './report/plan-rpc';
import { type DueStep, dueStep, takeDueStep } from './lifecycle/due-steps';
import { reportRpc } from './report/report-rpc';
import { ReportStore } from './report/report-store';
import { subscriptionRpc } from './rpc';
import { subscriptionDefinition } from './subscription-document';
import { subscriptionSearch } from './search/find-subscriptions';
import { Subscriptions, subscriptionsWith } from './storage/subscription-store';
import { mainItem } from './subscription/subscription';
import type { SubscriptionRecord } from './subscription/tombstone';

const totalsEveryMs = 60_000;

export async function start(
  config: SubscriptionConfiguration,
  overrides: ServiceOverrides = {},
): Promise<RunningService> {
  const service = await Service.open('subscription', config, overrides);
  const peers = connectPeers(service, config);
  const records = service.aggregates(subscriptionDefinition);
  const { logger, metrics } = service;
  const subscriptions = new Subscriptions(records, (id, reason, { live }) => {
    metrics.recordParkedSubscription({ reason, live });
    logger.error({ alarm: 'subscription_parked', id, reason }, 'subscription parked');
  });
  const changes = new Changes(service.aggregates(changeDefinition));
  const rows = new MigrationRows(service.aggregates(migrationRowDefinition));
  const billing = billingDependencies(service, { subscriptions, changes, peers });
  const ofCommands = { subscriptions, changes, rows, peers, ...billing };
  records.handle({
    commands: subscriptionCommands(ofCommands),
    wake: (id, context) => takeDueStepOf(id, context, { subscriptions, service }),
  });
  const ofRecovery = { ...ofCommands, clock: service.clock };
  const reassert = (recovery: RecoveryContext, run: { readonly isLast: boolean }) =>
    reassertSubscriptions(records, recovery, run, ofRecovery);
  service.recoverBy({
    reassert: (recovery) => reassert(recovery, { isLast: false }),
    // Again once checkout knows the outcomes of payments, during which nothing is voided.
    catchUp: (recovery) => reassert(recovery, { isLast: true }),
  });
  const reports = new ReportStore(service, records);
  service.every({
    name: 'revenue totals',
    everyMs: totalsEveryMs,
    run: (signal) => reports.updateSnapshots(signal),
  });
  const keys = new PreviewKeys(service);
  const ofMigrations = {
    migrations: service.aggregates(priceMigrationDefinition),
    candidates: new MigrationCandidates(records),
    ...{ rows, subscriptions, changes, clock: service.clock, logger },
  };
  const migrationWorker = new MigrationWorker(ofMigrations);
  ofMigrations.migrations.handle({
    recover: (id, context) => migrationWorker.resume(id, context),
  });
  const ofChanges = { subscriptions, changes, peers, clock: service.clock, logger, keys };
  return service.serve([
    subscriptionRpc({ ...ofChanges, records }),
    changeRpc(ofChanges, purchasePreviewRpc(ofChanges)),
    migrationRpc({ ...ofMigrations, peers }),
    planRpc({ subscriptions }),
    reportRpc({ reports }),
    erasureRpc(service, erasingSubscriptions({ records, subscriptions, changes })),
    exportRpc(service, exportedResources({ records, changes })),
    searchRpc(subscriptionSearch(records, peers), {
      type: ResultType.RESULT_TYPE_SUBSCRIPTION,
      filterOf: ({ customerId }) => subscriptionsWith({ customerId }),
      describe: describeFound,
    }),
  ]);
}

/** Clients of bills, and reports of how they went. */
function billingDependencies(
  { clock, logger, metrics, slices: { system } }: Service,
  standing: StandingDependencies,
) {
  const { checkout, customers } = standing.peers;
  const restores = () => ({
    isRecovering: system.recovering !== undefined,
    last: system.lastRestore,
  });
  const adoptRemade: BillingDependencies['adoptRemade'] = (stored, bill, context) =>
    adoptRemadeBill(stored, bill, context, { ...standing, restores });
  return {
    adoptRemade,
    ...{ logger, customers },
    invoices: new InvoiceClient(checkout),
    onRenewalInvoiced: (at: Date, { live, manualClock }: Tenant) => {
      // A manual clock is never late.
      if (manualClock) return;
      metrics.recordRenewalLag({ lagMs: clock.now().getTime() - at.getTime(), live });
    },
    onDroppedCredits: (id: string, { live }: Tenant) => {
      metrics.recordDroppedCredits({ live });
      logger.warn({ id }, 'credits of the last bill dropped');
    },
  };
}

function describeFound(record: SubscriptionRecord) {
  // Tombstones are never found.
  if (record.isTombstone) return { title: record.id };
  const { customer, status } = record;
  return { title: mainItem(record).productName, detail: customer.name ?? customer.email, status };
}

async function takeDueStepOf(
  id: string,
  context: CallContext,
  { subscriptions, service: { metrics } }: { subscriptions: Subscriptions; service: Service },
): Promise<void> {
  const taken: { step?: DueStep | undefined } = {};
  await subscriptions.change(id, context, (current, decision) => {
    // A write that loses its race is decided again: the last step seen is the one that was written,
    // or none.
    const step = dueStep(current);
    taken.step = step !== undefined && step.at <= decision.now ? step : undefined;
    return takeDueStep(current, decision);
  });
  if (taken.step?.kind !== 'ENTER_PERIOD') return;
  metrics.recordRenewal(context.tenant);
}
