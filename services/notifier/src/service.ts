import type { Tenant } from '@billing/chassis/call-context';
import { dataKeySecrets } from '@billing/chassis/configuration';
import { DataKeys } from '@billing/chassis/data-keys';
import { ownEventLogReads } from '@billing/chassis/event-log';
import { exportRpc, oneEach, scanAggregates } from '@billing/chassis/export-rpc';
import { erasureRpc } from '@billing/chassis/erasure-rpc';
import { PoisonMessages } from '@billing/chassis/poison-messages';
import { searchRpc } from '@billing/chassis/search-rpc';
import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
import {
  type ErasureServiceServer,
  ErasureServiceService,
} from '@billing/proto/billing/erasure/v1/erasure';
import { Resource } from '@billing/proto/billing/export/v1/export';
import { Email } from '@billing/proto/billing/notifier/v1/mail';
import { ResultType } from '@billing/proto/billing/search/v1/search';
import { AssignmentStore } from './sending/assignment-store';
import type { NotifierConfiguration } from './config';
import { createResolver, type ResolveAddresses } from './sending/connection-pool';
import { DeliveryDayWorker } from './history/day-worker';
import { deliveryRpc } from './history/delivery-rpc';
import { DeliveryWorker, inFlightMaxPerEndpoint } from './sending/delivery-worker';
import type { EndpointKey } from './endpoint/endpoint';
import { toProtoEmail } from './mail/email-message';
import { GapReconciliation } from './history/find-gaps';
import { LogTails } from './history/read-log-tails';
import { OutcomeStore } from './sending/outcome-store';
import { connectEventLogs, eventLogOwner, type EventLogOwner } from './peer/peers';
import type { AddressPolicy } from './endpoint/public-address';
import { ReplayWorker } from './history/replay-worker';
import { reportRpc } from './history/report-rpc';
import { RetentionWorker } from './history/retention-worker';
import { standardRetrySchedule } from './delivery/retry-schedule';
import { RetryStore } from './history/retry-store';
import { notifierRpc } from './rpc';
import { SealedSecretStore } from './endpoint/sealed-secret-store';
import { SealedSecretWorker } from './endpoint/sealed-secret-worker';
import { startConsuming } from './start-consuming';
import { startFeed } from './start-feed';
import { type MailDurations, startMail } from './start-mail';
import { TestWebhookSender } from './message/send-test-webhook';
import { WebhookClient } from './sending/webhook-client';
import { WebhookSender } from './sending/webhook-sender';
import { erasingRecipients } from './erasure/erase-customer';
import { type NotifierStores, openStores } from './start-stores';

/** Additional replacements for tests: the outside world, and durations. */
export interface NotifierOverrides extends ServiceOverrides, MailDurations {
  readonly retryScheduleMs?: readonly number[];
  readonly timeoutMs?: number;
  readonly outcomeBatchDelayMs?: number;
  readonly reconcileEveryMs?: number;
  readonly watchEveryMs?: number;
  readonly feedPollEveryMs?: number;
  readonly resolve?: ResolveAddresses;
}

const timeoutMsDefault = 15_000;
// Outcomes are collected this long, then stored in one write.
const outcomeBatchDelayMsDefault = 25;
const replayEveryMs = 5_000;
const retainEveryMs = 60 * 60_000;
// Repeated, because replicas that do not have the newest key yet may encrypt with the older one
// during a rollout.
const sealEveryMs = 10 * 60_000;
const countDaysEveryMs = 60 * 60_000;

/** Objects that the functions below share while the service starts. */
interface NotifierDependencies {
  readonly service: Service;
  readonly config: NotifierConfiguration;
  readonly overrides: NotifierOverrides;
  readonly policyOf: (tenant: Tenant) => AddressPolicy;
  readonly stores: NotifierStores;
  readonly owners: readonly EventLogOwner[];
  /** Log of the events of mails; one of `owners`. */
  readonly own: EventLogOwner;
}

/** Starts the notifier. */
export async function start(
  config: NotifierConfiguration,
  overrides: NotifierOverrides = {},
): Promise<RunningService> {
  const service = await Service.open('notifier', config, overrides);
  service.dependOnSecrets(dataKeySecrets(config.DATA_KEYS));
  const policyOf = ({ live }: Tenant): AddressPolicy => ({
    allowLoopback: config.ALLOW_LOOPBACK_IN_SANDBOXES && !live,
  });
  const keys = new DataKeys(config.DATA_KEYS);
  startSealing(service, keys);
  const stores = openStores(service, policyOf, keys);
  const peerLogs = connectEventLogs(service, {
    subscription: config.SUBSCRIPTION_ADDRESS,
    checkout: config.CHECKOUT_ADDRESS,
    catalog: config.CATALOG_ADDRESS,
    customer: config.CUSTOMER_ADDRESS,
    discount: config.DISCOUNT_ADDRESS,
    metering: config.METERING_ADDRESS,
  });
  const own = eventLogOwner('notifier', ownEventLogReads(service));
  const dependencies: NotifierDependencies = {
    service,
    config,
    overrides,
    policyOf,
    stores,
    owners: [...Object.values(peerLogs), own],
    own,
  };
  const worker = startSending(dependencies);
  const mailSources = { ...stores, invoices: peerLogs.checkout };
  const mail = startMail(service, config, mailSources, overrides);
  const feed = startFeed(service, stores, {
    pollEveryMs: overrides.feedPollEveryMs,
    onAppended: (environmentId) => {
      if (!service.slices.system.isClosed) mail.maker.wake(environmentId);
    },
  });
  const { reconcileEveryMs, watchEveryMs } = overrides;
  const durations = { reconcileEveryMs, watchEveryMs };
  const settleFeed = startConsuming({ ...dependencies, feed, mail, ...durations }, worker);
  startRetention(dependencies);
  const onChange = (endpoint: EndpointKey) => {
    worker.reclaim(endpoint);
  };
  const running = await service.serve([
    notifierRpc({ ...stores, policyOf, onChange, logger: service.logger }),
    startDeliveryCalls(dependencies, worker),
    feed.rpcOf(settleFeed),
    ...mail.rpcs,
    startErasure(dependencies),
    startReports(dependencies),
    exportEmails(dependencies),
    searchRpc(stores.webhookEndpoints.searchIndex, {
      type: ResultType.RESULT_TYPE_WEBHOOK_ENDPOINT,
      describe: ({ url, description, active }) => ({
        title: url,
        detail: description ?? '',
        status: active ? '' : 'INACTIVE',
      }),
    }),
  ]);
  const stop = async () => {
    // Otherwise calls that wait for events would hold up the server's end.
    await feed.watch.stop();
    await running.stop();
  };
  return { ...running, stop };
}

/** Exports mails with their content, where it is shown. */
function exportEmails({ service, stores }: NotifierDependencies) {
  return exportRpc(service, {
    [Resource.RESOURCE_EMAIL]: scanAggregates(stores.emails, {
      messagesOf: oneEach((stored) => toProtoEmail(stored, { withContent: true })),
      encoder: Email,
    }),
  });
}

function startSealing(service: Service, keys: DataKeys): void {
  const { db, logger } = service;
  const sealedSecrets = new SealedSecretStore(db, keys);
  service.checkBeforeServing(() => sealedSecrets.refuseUnknownKeys());
  const worker = new SealedSecretWorker({ sealedSecrets, logger });
  service.every({
    name: 'seal secrets with the newest key',
    everyMs: sealEveryMs,
    run: (signal) => worker.run(signal),
    onOneReplica: true,
  });
}

function startSending({
  service,
  config,
  overrides,
  policyOf,
  stores,
}: NotifierDependencies): DeliveryWorker {
  const { clock, logger, metrics } = service;
  const client = new WebhookClient({
    timeoutMs: overrides.timeoutMs ?? timeoutMsDefault,
    connectionsMax: inFlightMaxPerEndpoint,
    resolve: overrides.resolve ?? createResolver(),
    proxy: config.WEBHOOK_PROXY,
    clock,
  });
  service.onClose('webhook connections', () => client.close());
  const sender = new WebhookSender({
    ...stores,
    client,
    outcomes: new OutcomeStore({
      ...stores,
      logger,
      batchDelayMs: overrides.outcomeBatchDelayMs ?? outcomeBatchDelayMsDefault,
    }),
    policyOf,
    retryScheduleMs: overrides.retryScheduleMs ?? standardRetrySchedule,
    clock,
    logger,
    metrics,
  });
  const assignments = new AssignmentStore({
    ...stores,
    clock,
    leaseMs: config.DELIVERY_LEASE_MS,
  });
  const worker = new DeliveryWorker({
    ...stores,
    assignments,
    sender,
    slices: service.slices,
    clock,
    logger,
    waitMaxMs: config.DELIVERY_LEASE_MS / 3,
    isDeleted: (environmentId) => service.deletion.isDeleted(environmentId),
  });
  service.onClose('sending', () => worker.stop(config.SHUTDOWN_GRACE_MS));
  return worker;
}

function startRetention({ service, stores }: NotifierDependencies): void {
  const retention = new RetentionWorker({
    ...stores,
    clock: service.clock,
    restoreCodes: () => service.slices.system.restoreCodes,
  });
  service.every({
    name: 'remove expired webhooks',
    everyMs: retainEveryMs,
    run: (signal) => retention.run(signal),
    onOneReplica: true,
  });
}

function startErasure({ service, config, stores }: NotifierDependencies) {
  const owners = [config.SUBSCRIPTION_ADDRESS, config.CHECKOUT_ADDRESS].map((address) =>
    service.peer<ErasureServiceServer>(ErasureServiceService, { address }),
  );
  const { clock, db } = service;
  const poison = new PoisonMessages(db, clock);
  const restoreCodes = () => service.slices.system.restoreCodes;
  return erasureRpc(service, erasingRecipients({ ...stores, poison, owners, clock, restoreCodes }));
}

function startReports({ service, stores }: NotifierDependencies) {
  const { clock } = service;
  const days = new DeliveryDayWorker({ ...stores, clock });
  service.every({
    name: 'count past days',
    everyMs: countDaysEveryMs,
    run: (signal) => days.countAll(signal),
    onOneReplica: true,
  });
  return reportRpc({ ...stores, days, clock });
}

/** Starts replays, and returns the calls about deliveries. */
function startDeliveryCalls(
  { service, stores, owners }: NotifierDependencies,
  worker: DeliveryWorker,
) {
  const { clock, db, logger } = service;
  const onDeliveries = (endpoints: readonly EndpointKey[]) => {
    worker.wake(endpoints);
  };
  const replays = new ReplayWorker({ ...stores, clock, logger, onDeliveries });
  service.every({
    name: 'replay webhooks',
    everyMs: replayEveryMs,
    run: () => replays.run(),
  });
  service.onClose('replays', () => replays.stop());
  return deliveryRpc({
    endpoints: stores.endpoints,
    history: stores.history,
    subscriptions: stores.subscriptions,
    tests: new TestWebhookSender({ ...stores, clock }),
    retries: new RetryStore(db),
    gaps: new GapReconciliation({
      ...stores,
      tails: new LogTails({ ...stores, owners, clock }),
      logger,
    }),
    replays,
    clock,
    onDeliveries,
    onReplay: () => {
      replays.wake();
    },
  });
}
