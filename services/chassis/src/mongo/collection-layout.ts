/** Fields by which a sharded cluster distributes the documents of a collection. */
export type ShardKey = Readonly<Record<string, 1 | 'hashed'>>;

/** Place of a collection in a sharded cluster. */
export interface CollectionLayout {
  /** Undefined for a collection that stays on one shard, because it stays small. */
  readonly shardKey: ShardKey | undefined;
  /**
   * Reads and bulk changes that ask every shard, with their reason. A key lists fields that the
   * filter names, separated by spaces; the filter may name further ones. Writes of single documents
   * always name the shard key.
   */
  readonly scatter: Readonly<Record<string, string>>;
  /** True if the collection also has one of each month, `name_YYYYMM`. */
  readonly isMonthly?: true;
}

/** Layouts of a service's collections, by name. A new collection needs one. */
export type CollectionLayouts = Readonly<Record<string, CollectionLayout>>;

/** Layout of a collection; one of a month has the layout of its monthly collection. */
export function layoutOf(layouts: CollectionLayouts, name: string): CollectionLayout | undefined {
  const monthly = layouts[name.replace(/_\d{6}$/, '')];
  return layouts[name] ?? (monthly?.isMonthly === true ? monthly : undefined);
}

/** A collection that stays small. */
export const unsharded: CollectionLayout = { shardKey: undefined, scatter: {} };

export function shardedBy(
  shardKey: ShardKey,
  scatter: CollectionLayout['scatter'] = {},
): CollectionLayout {
  return { shardKey, scatter };
}

/** A collection distributed by the hash of `_id`. */
export function shardedById(scatter: CollectionLayout['scatter'] = {}): CollectionLayout {
  return shardedBy({ _id: 'hashed' }, scatter);
}

/** Documents of aggregates. */
export function shardedAggregates(scatter: CollectionLayout['scatter'] = {}): CollectionLayout {
  return shardedById({
    'environmentId createdAt': 'lists of an environment, newest first',
    pendingSince: 'sweeps of outboxes, in slices',
    'timeline dueAt': 'due work, in slices',
    recoverAt: 'recovery, in slices',
    'environmentId milestonesAt': 'running totals since a snapshot',
    'environmentId searchKeys': 'search of an environment',
    'environmentId _id': 'search of an environment by the beginning of an id',
    isFence: 'values of an earlier version, claimed once',
    changedAt: 'the one scan after a restore',
    ...scatter,
  });
}

/** Collections of every service. */
export const chassisCollections: CollectionLayouts = {
  activity: unsharded,
  deletedEnvironments: unsharded,
  eventLog: shardedById({ position: 'pages of the log, and its retention' }),
  eventLogMarks: unsharded,
  idempotencyRecords: shardedById({ createdAt: 'retention' }),
  keyClaims: shardedById(),
  poisonMessages: unsharded,
  replicas: unsharded,
  restores: unsharded,
  scheduleProgress: unsharded,
  schema: unsharded,
  searchProgress: unsharded,
  secretFingerprints: unsharded,
  stuckCommands: unsharded,
  system: unsharded,
};
