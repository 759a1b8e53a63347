import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { monotonicMs } from '@billing/chassis/clock';
import { erasureRpc } from '@billing/chassis/erasure-rpc';
import { exportRpc } from '@billing/chassis/export-rpc';
import { newId, randomHex } from '@billing/chassis/ids';
import type { AttributeValue } from '@billing/chassis/metrics';
import { QuietPoll } from '@billing/chassis/quiet-poll';
import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
import { sliceOf } from '@billing/chassis/slices';
import { sampleEveryMs, UsageAudit } from './audit/audit-worker';
import { AuditedSeriesStore } from './audit/audited-series-store';
import { usageAuditRpc } from './audit/rpc';
import type { MeteringConfiguration } from './config';
import { accountDefinition, ensureAccountIndexes, mostOpenGrants } from './credit/account-store';
import {
  ClosedCreditStore,
  ensureClosedCreditIndexes,
  openClosedCredits,
} from './credit/closed-credit-store';
import { GrantDetailsStore, openGrantDetails } from './credit/grant-details-store';
import { ArrivalOrder } from './ingest/arrival-order';
import type { NewEvent } from './ingest/ingest-events';
import { IngestQueue } from './ingest/ingest-queue';
import { LargeReads } from './distinct/run-large-read';
import type { SlotState } from './epoch/epoch';
import { EpochStore } from './epoch/epoch-store';
import { EpochWorker, observeEpochs } from './epoch/epoch-worker';
import { CountedEvents } from './flush/counted';
import { CurrentWriter } from './flush/flush-worker';
import { FlushStore, openParts } from './flush/flush-store';
import {
  type BucketCollections,
  BucketStore,
  countParts,
  ensureBucketIndexes,
  openBuckets,
  type ReadUntil,
} from './fold/bucket-store';
import { FoldScheduleStore, type WokenSeries } from './fold/fold-schedule-store';
import { FoldWakes } from './fold/fold-wakes';
import { foldDueSeries, observeFolds, SeriesSizes } from './fold/fold-worker';
import type { SeriesStorage } from './fold/series-storage';
import { erasingUsage } from './erasure/erase-usage';
import { exportedResources } from './exported-resources';
import {
  changeGeneration,
  dropGenerations,
  observeGenerations,
} from './generation/generation-worker';
import { UnreadSpanStore } from './fold/unread-span-store';
import { recoverSlot } from './flush/recover-slot';
import type { Meter } from './meter/meter';
import { announcedMeters } from './meter/events';
import { findMeters } from './meter/store';
import { CustomerDirectory } from './peer/customer-directory';
import { connectPeers } from './peer/peers';
import { recoverUsage, type UsageRecovery } from './recovery/recover-usage';
import { CreditReportStore } from './report/credit-report-store';
import { reportRpc } from './report/rpc';
import type { UsageStateDependencies } from './report/usage-state-rpc';
import { meteringRpc } from './rpc';
import { RunningSettlements } from './settlement/running-settlements';
import { ensureSettlementIndexes, openSettlements, SettlementStore } from './settlement/store';
import { EventCollections, type EventDocument } from './usage/event-store';
import { ContinuedReads } from './span/continued-reads';
import { UsageReader } from './span/read-in-time';
import { EarlierUsageStore } from './takeover/earlier-usage-store';
import { Takeover } from './takeover/takeover-worker';
import type { OwnedSeries } from './usage/hour';
import { SeriesStore } from './usage/series-store';

// About 200 bytes per customer.
const customersMax = 50_000;
// See `EpochWorker`.
const epochEveryMs = 2_000;
const foldEveryMs = 2_000;
const takeOverEveryMs = 5_000;
const deleteSpansEveryMs = 60 * 60_000;
const changeGenerationEveryMs = 10_000;
const dropGenerationsEveryMs = 60 * 60_000;
// Larger batches gain little. Four concurrent commands saturate the database; more would only queue
// up. The spacing limits the number of parts that a read of a series has to add.
const queueBounds = { batchMax: 1_000, flushesMax: 4, itemsMax: 30_000, spacingMs: 20 };

type Owner = Pick<CallContext, 'tenant'>;

export interface MeteringOverrides extends ServiceOverrides {
  /** Gives the number from which the flushes of a series are counted; a random one by default. */
  readonly randomByte?: () => number;
}

/** Starts the metering service: meters and usage over gRPC. */
export async function start(
  config: MeteringConfiguration,
  overrides: MeteringOverrides = {},
): Promise<RunningService> {
  const service = await Service.open('metering', config, overrides);
  const { clock, db } = service;
  const peers = connectPeers(service, config);
  const meters = service.aggregates(announcedMeters);
  const accounts = service.aggregates(accountDefinition);
  const grantDetails = openGrantDetails(db);
  const closedCredits = openClosedCredits(db);
  const settlements = openSettlements(db);
  const series = new SeriesStore(db);
  const epochs = new EpochStore(db);
  service.ensureIndexes(() => epochs.open(clock.now()));
  const events = startGenerations(service, epochs, config);
  service.ensureIndexes(() => series.ensureIndexes());
  service.ensureIndexes(() => ensureSettlementIndexes(settlements));
  service.ensureIndexes(() => ensureAccountIndexes(accounts));
  service.ensureIndexes(() => ensureClosedCreditIndexes(closedCredits));
  const flushes = startFlushes(service, { epochs, events, meters });
  const { writer, counted, readUntil } = flushes;
  const usage = openUsage(service, { events, meters, readUntil });
  const { foldWakes, usageOf } = startReads(service, usage, overrides);
  const queue = new IngestQueue<NewEvent, EventDocument>({
    ...queueBounds,
    flush: async (items) => {
      await foldWakes.beforeFlush(items, clock.now());
      return writer.flush(items);
    },
  });
  const directory = new CustomerDirectory(customersMax);
  const owned = {
    ...{ meters, accounts, events, directory, clock },
    grantDetailsOf: ({ tenant }: Owner) => new GrantDetailsStore(grantDetails, tenant),
    closedCreditsOf: ({ tenant }: Owner) => new ClosedCreditStore(closedCredits, tenant),
  };
  service.metrics.observeOpenCredits(() => mostOpenGrants(accounts));
  const audit = startAudit(service, usage);
  const recovering = { epochs, recoverSlot: flushes.recoverSlot, audit };
  service.recoverBy({ reassert: (recovery) => recoverUsage(recovery, recovering) });
  return service.serve([
    meteringRpc({
      ...owned,
      running: openRunning(service),
      settlementsOf: ({ tenant }) => new SettlementStore(settlements, tenant),
      queue,
      counted,
      foldWakes,
      metrics: service.metrics,
      usageOf,
      series,
      arrivals: new ArrivalOrder(),
      peers,
      clock,
    }),
    reportRpc({
      meters,
      accounts,
      series,
      usageOf,
      creditReports: new CreditReportStore(db),
    }),
    usageAuditRpc(audit),
    erasureRpc(service, erasingUsage(owned)),
    exportRpc(service, exportedResources({ ...owned, usageOf, peers })),
  ]);
}

function openRunning({ metrics }: Service): RunningSettlements {
  const running = new RunningSettlements({
    nowMs: monotonicMs,
    onEnd: (run) => {
      metrics.recordSettlement(run);
    },
  });
  metrics.observeSettlements(() => running.longestMs());
  return running;
}

/** Starts the work on generations of events: changing them, and dropping the oldest. */
function startGenerations(
  service: Service,
  storage: EpochStore,
  { RETENTION_USAGE_MONTHS: months }: Pick<MeteringConfiguration, 'RETENTION_USAGE_MONTHS'>,
): EventCollections {
  const { clock, logger, metrics, db } = service;
  const collections = new EventCollections(db, async () => (await storage.readEpoch()).generations);
  const options = { storage, collections, clock, logger };
  service.ensureIndexes(async () => {
    const { generations } = await storage.readEpoch();
    for (const { name } of generations) await collections.make(name);
  });
  service.every({
    name: 'change usage generation',
    everyMs: changeGenerationEveryMs,
    run: () => changeGeneration(options),
    onOneReplica: true,
  });
  if (months > 0) {
    service.every({
      name: 'drop usage generations',
      everyMs: dropGenerationsEveryMs,
      run: () => dropGenerations(months, options),
      // A drop frees space.
      writes: 'deletions',
      onOneReplica: true,
    });
  }
  observeGenerations(metrics, options);
  return collections;
}

/** Starts storing events by flushes, and the work on epochs that all processes share. */
function startFlushes(
  service: Service,
  {
    epochs,
    events,
    meters,
  }: {
    readonly epochs: EpochStore;
    readonly events: EventCollections;
    readonly meters: AggregateCollection<Meter>;
  },
): {
  writer: CurrentWriter;
  counted: CountedEvents;
  readUntil: ReadUntil;
  recoverSlot: UsageRecovery['recoverSlot'];
} {
  const { logger, metrics, db } = service;
  const storage = new FlushStore(events, openParts(db));
  const metersOf = (ids: readonly string[]) => findMeters(meters, ids);
  const writer = new CurrentWriter({ epochs, storage, metrics, logger });
  const recover = (slot: SlotState) => recoverSlot(slot, { epochs, storage, metersOf });
  const worker = new EpochWorker({
    storage: epochs,
    recover,
    ownWriter: () => writer.number,
    nowMs: monotonicMs,
    logger,
  });
  service.every({
    name: 'advance usage epochs',
    everyMs: epochEveryMs,
    run: async () => {
      const reading = await worker.run();
      await writer.beat(reading);
    },
  });
  service.every({
    name: 'recover usage slots',
    everyMs: epochEveryMs,
    run: (signal) => worker.recoverSlots(signal),
  });
  observeEpochs(metrics, worker);
  service.onClose('usage writer', () => writer.close());
  const readUntil: ReadUntil = async ({ isFresh }) => {
    const reading = isFresh ? undefined : worker.reading;
    return (reading ?? (await epochs.readEpoch())).until;
  };
  const counted = new CountedEvents(storage, epochs);
  return { writer, counted, readUntil, recoverSlot: recover };
}

/** Stored usage of all series. */
interface StoredUsage {
  readonly events: EventCollections;
  readonly meters: AggregateCollection<Meter>;
  readonly buckets: BucketCollections;
  /** Opens series. Their queries of raw events are counted under the reason. */
  readonly storageFor: (
    reason: AttributeValue<'billing.usage.read.reason'>,
  ) => (series: OwnedSeries, signal?: AbortSignal) => SeriesStorage;
}

function openUsage(
  { clock, metrics, db }: Service,
  {
    events,
    meters,
    readUntil: until,
  }: Pick<StoredUsage, 'events' | 'meters'> & { readonly readUntil: ReadUntil },
): StoredUsage {
  const buckets = openBuckets(db, events);
  const storageFor: StoredUsage['storageFor'] = (reason) => {
    const onRawRead = () => {
      metrics.recordRawRead(reason);
    };
    return (series, signal) =>
      new BucketStore(buckets, series, { until, clock, onRawRead, ...(signal && { signal }) });
  };
  return { events, meters, buckets, storageFor };
}

/** Starts folding parts into buckets. Returns how ingest wakes series, and how usage is read. */
function startReads(
  service: Service,
  { events, meters, buckets, storageFor }: StoredUsage,
  { randomByte = () => Number.parseInt(randomHex(1), 16) }: MeteringOverrides,
): {
  readonly foldWakes: FoldWakes<WokenSeries>;
  readonly usageOf: UsageStateDependencies['usageOf'];
} {
  const { slices, clock, logger, metrics, db } = service;
  const schedule = new FoldScheduleStore(buckets.series);
  const unread = new UnreadSpanStore(buckets);
  service.ensureIndexes(() => ensureBucketIndexes(buckets));
  service.ensureIndexes(() => schedule.ensureIndexes());
  const store = new EarlierUsageStore(db, events);
  // Folds themselves read no raw events; what they take over before does.
  const storageOf = storageFor('TAKEOVER');
  const takeover = new Takeover({ store, storageOf, meters, slices, clock, logger });
  service.ensureIndexes(() => store.ensureIndexes());
  service.every({
    name: 'take over usage of earlier versions',
    everyMs: takeOverEveryMs,
    run: (signal) => takeover.run(signal),
  });
  const prepare = (series: OwnedSeries, signal: AbortSignal) => takeover.ensure(series, signal);
  const sizes = new SeriesSizes();
  const shared = { slices, countParts: (k: string) => countParts(buckets, k), clock, logger };
  const collections = [buckets.series];
  const poll = new QuietPoll({ collections, isAlone: () => slices.isAlone, clock });
  const folding = { schedule, meters, storageOf, prepare, sizes, poll, ...shared };
  service.every({
    name: 'fold usage',
    everyMs: foldEveryMs,
    run: (signal) => foldDueSeries(folding, signal),
  });
  observeFolds(metrics, { schedule, sizes, clock });
  service.every({
    name: 'delete unread usage spans',
    everyMs: deleteSpansEveryMs,
    run: async (signal) => {
      while (!signal.aborted && (await unread.deleteSome(clock.now())));
    },
  });
  const largeReads = new LargeReads();
  metrics.observe('distinctWaiting', () =>
    Promise.resolve([{ value: largeReads.waiting, attributes: {} }]),
  );
  const reads = {
    storageOf: storageFor('CUT'),
    prepare,
    largeReads,
    continued: openContinuedReads(service),
    metrics,
    logger,
  };
  return {
    foldWakes: new FoldWakes(schedule, randomByte),
    usageOf: (context) => new UsageReader(reads, context),
  };
}

function openContinuedReads(service: Service): ContinuedReads {
  const continued = new ContinuedReads((error, read) => {
    service.logger.warn({ err: error, read }, 'continued usage read failed');
  });
  service.onClose('continued usage reads', () => {
    continued.close();
    return Promise.resolve();
  });
  return continued;
}

/** Starts sampling hours of usage that are counted again. */
function startAudit(service: Service, { meters, buckets, storageFor }: StoredUsage): UsageAudit {
  const { slices, clock, logger, metrics } = service;
  const audit = new UsageAudit({
    store: new AuditedSeriesStore(buckets),
    meters,
    storageOf: storageFor('AUDIT'),
    isDeleted: (environmentId) => service.deletion.isDeleted(environmentId),
    metrics,
    slices,
    firstSlice: sliceOf(newId()),
    clock,
    logger,
  });
  service.every({
    name: 'audit hours of usage',
    everyMs: sampleEveryMs,
    run: (signal) => audit.sample(signal),
  });
  return audit;
}
