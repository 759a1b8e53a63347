import {
  chassisCollections,
  type CollectionLayouts,
  shardedById,
  unsharded,
} from '@billing/chassis/collection-layout';

/** Collections of identity. All but its logs are as small as the number of organizations. */
export const collections: CollectionLayouts = {
  ...chassisCollections,
  apiKeys: unsharded,
  auditEntries: shardedById({
    'environmentId at': 'lists of an environment, newest first',
    'environmentId targetId': 'erasure of a customer',
    at: 'retention',
  }),
  environments: unsharded,
  invitations: unsharded,
  loginAttempts: unsharded,
  lostCalls: unsharded,
  operatorSessions: unsharded,
  operators: unsharded,
  organizations: unsharded,
  requestBodies: shardedById({
    environmentId: 'deletion of an environment',
    _id: 'retention, by the time in the id',
  }),
  requests: shardedById({
    'environmentId _id': 'lists of an environment, newest first',
    _id: 'retention, by the time in the id',
  }),
  resetLinks: unsharded,
  sandboxSlots: unsharded,
};
