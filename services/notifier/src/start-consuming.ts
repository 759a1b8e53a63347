import { newId } from '@billing/chassis/ids';
import { Restores } from '@billing/chassis/restores';
import { type Service } from '@billing/chassis/service';
import { AwaitedEventWorker } from './message/awaited-event-worker';
import { type DeliveryWorker } from './sending/delivery-worker';
import { OrderedEventConsumer } from './message/accept-in-order';
import { EventConsumer } from './message/accept-event';
import { EventReconciliation } from './message/reconciliation-worker';
import { acceptFromStream } from './message/accept-from-stream';
import { acceptLoggedEvents } from './message/accept-logged-events';
import { webhookSubjects } from './message/events';
import type { EventLogOwner } from './peer/peers';
import { RestoreAnnouncer } from './restore/restore-announcer-worker';
import { OwnerWatch } from './restore/watch-owners-worker';
import type { RunningFeed, SettleFeed } from './start-feed';
import type { RunningMail } from './start-mail';
import type { NotifierStores } from './start-stores';

const reconcileEveryMsDefault = 5_000;
const watchEveryMsDefault = 60_000;
const sendEveryMs = 1_000;
// Events accepted concurrently share one database command for each step, so that a higher number
// means fewer commands.
const acceptConcurrency = 100;

/** Dependencies of the acceptance of events. */
export interface ConsumingDependencies {
  readonly service: Service;
  readonly stores: NotifierStores;
  readonly owners: readonly EventLogOwner[];
  /** Log of the events of mails; one of `owners`. */
  readonly own: EventLogOwner;
  readonly feed: RunningFeed;
  readonly mail: RunningMail;
  readonly reconcileEveryMs: number | undefined;
  readonly watchEveryMs: number | undefined;
}

/** Starts to accept events, and to send their webhooks. Returns how the feed is settled. */
export function startConsuming(
  { service, stores, owners, own, feed, mail, ...durations }: ConsumingDependencies,
  worker: DeliveryWorker,
): SettleFeed {
  const { reconcileEveryMs, watchEveryMs } = durations;
  const { clock, logger } = service;
  const { system } = service.slices;
  const consumer = new EventConsumer({
    ...stores,
    clock,
    isDeleted: (environmentId) => service.deletion.isDeleted(environmentId),
    afterRestore: () => announcer.run(),
    onDeliveries: (endpoints) => {
      // Stored before the opening, sent after it.
      if (!system.isClosed && !announcer.isPending) worker.wake(endpoints);
    },
    onAccepted: (message) => {
      feed.appender.add(message);
    },
  });
  const ordered = new OrderedEventConsumer({ ...stores, owners, consumer, logger });
  const announcer = startAnnouncing(service, stores, ordered);
  startDueDeliveries(service, worker, announcer);
  const awaited = new AwaitedEventWorker({
    awaited: stores.awaited,
    consumer: ordered,
    clock,
    logger,
  });
  service.metrics.observeMissingEvents(() => awaited.count());
  const reconciliation = new EventReconciliation({
    ...stores,
    owners,
    consumer: ordered,
    awaited,
    replica: newId(),
    isAlone: () => service.slices.isAlone,
    clock,
    logger,
  });
  const logged = { ...stores, owners, consumer: ordered, logger };
  const settleFeed: SettleFeed = async (environmentId) => {
    const left = await acceptLoggedEvents(environmentId, logged);
    await feed.sweep.sweep(environmentId);
    return left;
  };
  service.settleBy(async (environmentId) => {
    const left = await settleFeed(environmentId);
    const unmade = await mail.maker.settle(environmentId);
    // Mails announce events, too, which cause no further mails.
    const unrelayed = (await stores.emails.hasPending({ environmentId })) ? 1 : 0;
    const leftOfMails = await acceptLoggedEvents(environmentId, { ...logged, owners: [own] });
    await feed.sweep.sweep(environmentId);
    return left + unmade + unrelayed + leftOfMails;
  });
  service.onClose('reconciliation', () => reconciliation.stop());
  recoverFeed({ service, stores, feed, mail }, reconciliation);
  watchOwners(service, stores, owners, watchEveryMs);
  service.every({
    name: 'reconcile',
    everyMs: reconcileEveryMs ?? reconcileEveryMsDefault,
    run: (signal) => reconciliation.run(signal),
  });
  service.consume({
    durable: 'notifier',
    filterSubjects: webhookSubjects,
    concurrency: acceptConcurrency,
    handle: ({ data }) => acceptFromStream(data, { consumer: ordered, reconciliation }),
  });
  return settleFeed;
}

/** Looks each minute whether an owner has lost what was read from its log. */
function watchOwners(
  service: Service,
  { cursors, lost }: Pick<NotifierStores, 'cursors' | 'lost'>,
  owners: readonly EventLogOwner[],
  everyMs = watchEveryMsDefault,
): void {
  const { clock, logger, metrics } = service;
  const watch = new OwnerWatch({ owners, cursors, lost, clock, logger });
  service.every({
    name: 'watch owners of event logs',
    everyMs,
    run: () => watch.run(),
    onOneReplica: true,
  });
  metrics.observe('databasesWentBack', async () => {
    return [{ value: (await lost.findAll()).size, attributes: {} }];
  });
}

/** Registers the steps after a restore. */
function recoverFeed(
  {
    service,
    stores,
    feed,
    mail,
  }: Pick<ConsumingDependencies, 'service' | 'stores' | 'feed' | 'mail'>,
  reconciliation: EventReconciliation,
): void {
  service.recoverBy({
    reassert: async ({ since }) => {
      await stores.feed.removeEarlier();
      await feed.sweep.run();
      // The events that a wait has counted may be lost.
      await stores.awaited.removeSince(since);
      // This restore is known.
      await stores.cursors.forgetRecent();
      await stores.lost.removeAll();
      // Logs may have what the restored messages do not; entries that are known are recognized.
      const logsReadAgain = await stores.cursors.moveBack(since);
      return { logsReadAgain, mailsEnded: await mail.endWaiting() };
    },
    catchUp: async () => {
      await reconciliation.run();
      return {};
    },
  });
}

/** Announces a restore to each environment after the opening. */
function startAnnouncing(
  service: Service,
  { restored, environments }: Pick<NotifierStores, 'restored' | 'environments'>,
  consumer: OrderedEventConsumer,
): RestoreAnnouncer {
  const { db, clock, slices } = service;
  return new RestoreAnnouncer({
    restore: () => slices.system.lastRestore,
    isClosed: () => slices.system.isClosed,
    restores: new Restores(db),
    environments: () => environments.all(),
    isDeleted: (environmentId) => service.deletion.isDeleted(environmentId),
    restored,
    consumer,
    clock,
  });
}

function startDueDeliveries(
  service: Service,
  worker: DeliveryWorker,
  announcer: RestoreAnnouncer,
): void {
  service.every({
    name: 'send due deliveries',
    everyMs: sendEveryMs,
    run: async () => {
      await announcer.run();
      if (!announcer.isPending) await worker.sendDue();
    },
  });
}
