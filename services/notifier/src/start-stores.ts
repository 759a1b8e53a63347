import type { Tenant } from '@billing/chassis/call-context';
import { type DataKeys } from '@billing/chassis/data-keys';
import { type Service } from '@billing/chassis/service';
import { AttemptStore } from './delivery/attempt-store';
import { AwaitedEventStore } from './message/awaited-event-store';
import { CursorStore } from './message/cursor-store';
import { DeliveryDayStore } from './delivery/day-store';
import { DeliveryHistoryStore } from './history/history-store';
import { DeliveryReportStore } from './history/report-store';
import { DeliveryStore } from './delivery/delivery-store';
import { FeedStore } from './feed/feed-store';
import { EndpointHealthStore } from './endpoint/health-store';
import { EndpointStore } from './endpoint/endpoint-store';
import { emailDefinition } from './mail/email-document';
import { MessageStore } from './message/message-store';
import type { AddressPolicy } from './endpoint/public-address';
import { ReplayStore } from './history/replay-store';
import { EnvironmentStore } from './restore/environment-store';
import { LostEntryStore } from './restore/lost-entry-store';
import { restoredEnvironmentDefinition } from './restore/restored-environment-document';
import { RetentionStore } from './history/retention-store';
import { SubscriptionHistoryStore } from './history/subscription-history-store';
import { SlotStore } from './endpoint/slot-store';
import { TestLimitStore } from './endpoint/test-limit-store';
import { SuppressionStore } from './mail/suppression-store';
import { webhookEndpoints } from './endpoint/endpoint-document';

/** Stores of the notifier. */
export type NotifierStores = ReturnType<typeof openStores>;

/** Opens the stores; their indexes are ensured before the service serves. */
export function openStores(
  service: Service,
  policyOf: (tenant: Tenant) => AddressPolicy,
  keys: DataKeys,
) {
  const { db, clock } = service;
  const { system } = service.slices;
  const restoreCode = () => system.restoreCode;
  const restoreCodes = () => system.restoreCodes;
  const slots = new SlotStore(db);
  const aggregates = service.aggregates(webhookEndpoints(keys));
  const stores = {
    webhookEndpoints: aggregates,
    endpoints: new EndpointStore({ aggregates, slots, policyOf, clock }),
    health: new EndpointHealthStore(db),
    testLimits: new TestLimitStore(db),
    messages: new MessageStore(db),
    slots,
    deliveries: new DeliveryStore(db, clock),
    dayTotals: new DeliveryDayStore(db),
    attempts: new AttemptStore(db),
    cursors: new CursorStore(db),
    lost: new LostEntryStore(db),
    awaited: new AwaitedEventStore(db),
    feed: new FeedStore(db, restoreCode),
    restored: service.aggregates(restoredEnvironmentDefinition),
    emails: service.aggregates(emailDefinition),
    suppressions: new SuppressionStore(db),
    history: new DeliveryHistoryStore(db),
    subscriptions: new SubscriptionHistoryStore(db, new MessageStore(db), restoreCodes),
    replays: new ReplayStore(db),
    retained: new RetentionStore(db),
    reports: new DeliveryReportStore(db),
  };
  const environments = new EnvironmentStore(db, stores);
  const { deliveries, dayTotals, attempts, replays, retained, awaited } = stores;
  const { feed, suppressions } = stores;
  const indexed = [slots, deliveries, dayTotals, attempts, replays, retained, awaited];
  for (const store of [...indexed, feed, suppressions]) {
    service.ensureIndexes(() => store.ensureIndexes());
  }
  return { ...stores, environments };
}
