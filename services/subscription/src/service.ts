import type { CallContext } from '@billing/chassis/call-context';
import { erasureRpc } from '@billing/chassis/erasure-rpc';
import { exportRpc } from '@billing/chassis/export-rpc';
import { searchRpc } from '@billing/chassis/search-rpc';
import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
import { ResultType } from '@billing/proto/billing/search/v1/search';
import { changeRpc } from './change/change-rpc';
import { changeDefinition, Changes } from './change/change-store';
import { PreviewKeys } from './change/preview-key-store';
import { subscriptionCommands } from './commands';
import type { SubscriptionConfiguration } from './config';
import { erasingSubscriptions } from './erasure/erase-customer';
import { exportedResources } from './export-rpc';
import { InvoiceClient } from './peer/checkout';
import { connectPeers } from './peer/peers';
import { planRpc } from './report/plan-rpc';
import { type DueStep, dueStep, takeDueStep } from './lifecycle/renewals';
import { reportRpc } from './report/report-rpc';
import { ReportStore } from './report/report-store';
import { subscriptionRpc } from './rpc';
import { subscriptionDefinition } from './subscription-document';
import { Subscriptions } from './subscription-store';
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
  records.handle({
    commands: subscriptionCommands({
      subscriptions,
      changes,
      peers,
      invoices: new InvoiceClient(peers.checkout),
      customers: peers.customers,
      onDroppedCredits: (id, { live }) => {
        metrics.recordDroppedCredits({ live });
        logger.warn({ id }, 'credits of the last bill dropped');
      },
      logger,
    }),
    wake: (id, context) => takeDueStepOf(id, context, { subscriptions, service }),
  });
  const reports = new ReportStore(service, records);
  service.every({
    name: 'revenue totals',
    everyMs: totalsEveryMs,
    run: (signal) => reports.updateSnapshots(signal),
  });
  const keys = new PreviewKeys(service);
  const ofChanges = { subscriptions, changes, peers, clock: service.clock, logger, keys };
  return service.serve([
    subscriptionRpc({ ...ofChanges, records }),
    changeRpc(ofChanges),
    planRpc({ subscriptions }),
    reportRpc({ reports }),
    erasureRpc(service, erasingSubscriptions({ records, subscriptions, changes })),
    exportRpc(service, exportedResources({ records, changes })),
    searchRpc(records, { type: ResultType.RESULT_TYPE_SUBSCRIPTION, describe: describeFound }),
  ]);
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
  {
    subscriptions,
    service: { metrics, clock },
  }: { subscriptions: Subscriptions; service: Service },
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
  const lateMs = clock.now().getTime() - taken.step.at.getTime();
  const { live, manualClock } = context.tenant;
  metrics.recordRenewal({ lagMs: manualClock ? undefined : lateMs, live });
}
