import {
  chassisCollections,
  type CollectionLayouts,
  shardedAggregates,
  shardedBy,
  shardedById,
  unsharded,
} from '@billing/chassis/collection-layout';

/** Collections of notifier. */
export const collections: CollectionLayouts = {
  ...chassisCollections,
  attempts: shardedById({ deliveryId: 'attempts of deliveries' }),
  awaitedEvents: shardedById({
    'environmentId latestAt': 'status of an environment',
    latestAt: 'gaps after the instant of a restore',
    tryAt: 'gaps that are due to be read',
  }),
  deliveries: shardedById({
    'environmentId endpointId': 'deliveries of an endpoint: due, listed, replayed or blocked',
    'status dueAt': 'endpoints with due deliveries',
    'status endpointId': 'endpoints with due deliveries, past a backlog',
  }),
  deliveryDays: shardedById({ end: 'retention' }),
  emails: shardedAggregates({
    madeAt: 'retention',
    'environmentId customerId': 'mails of a customer, for its erasure',
    'live status': 'mails that wait, after a restore',
  }),
  emailSettings: shardedAggregates(),
  emailSuppressions: shardedById({ environmentId: 'suppressed addresses of an environment' }),
  emailTemplates: shardedById({ environmentId: 'changed templates of an environment' }),
  endpointHealth: shardedById(),
  endpointTests: shardedById(),
  eventLogCursors: unsharded,
  eventLogReaders: unsharded,
  feed: shardedBy(
    { environmentId: 1 },
    {
      _id: 'environments with a feed, for retention',
      restoreCode: 'feeds before a restore',
    },
  ),
  feedSweeps: unsharded,
  lostLogEntries: unsharded,
  mailPositions: shardedById(),
  messageFloors: shardedById(),
  messages: shardedById({ acceptedAt: 'retention, and messages that feeds lack' }),
  missingEvents: shardedById({ at: 'retention, and status of an environment' }),
  operatorEmails: shardedAggregates({
    madeAt: 'retention',
    'live status': 'mails that wait, after a restore',
  }),
  replays: shardedById({ dueAt: 'replays that are due' }),
  restoredEnvironments: shardedAggregates(),
  webhookEndpoints: shardedAggregates({
    'environmentId deletedAt': 'endpoints of environments',
    '$or _id': 'sealed secrets, in pages',
  }),
  webhookEndpointSlots: shardedBy({ environmentId: 1 }),
};
