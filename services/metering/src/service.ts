import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { monotonicMs } from '@billing/chassis/clock';
import type { CallContext } from '@billing/chassis/call-context';
import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
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
import { IngestQueue } from './ingest/queue-worker';
import { EpochStore } from './epoch/epoch-store';
import { EpochWorker, observeEpochs } from './epoch/epoch-worker';
import { CountedEvents } from './flush/counted';
import { CurrentWriter } from './flush/flush-worker';
import { FlushStore, openParts } from './flush/flush-store';
import { BucketStore, ensureBucketIndexes, openBuckets, type ReadUntil } from './fold/bucket-store';
import { FoldScheduleStore, type WokenSeries } from './fold/fold-schedule-store';
import { FoldWakes } from './fold/fold-wakes';
import { type FoldDependencies, foldDueSeries } from './fold/fold-worker';
import { UnreadSpanStore } from './fold/unread-span-store';
import { recoverSlot } from './flush/recover-slot';
import type { Meter } from './meter/meter';
import { findMeters, meterDefinition } from './meter/store';
import { CustomerDirectory } from './peer/customer-directory';
import { connectPeers } from './peers';
import { CreditReportStore } from './report/credit-report-store';
import { MeterUsageStore } from './report/meter-usage-store';
import { reportRpc } from './report/rpc';
import { meteringRpc } from './rpc';
import { SettlementRuns } from './settlement/runs';
import type { Settlement } from './settlement/settlement';
import { ensureSettlementIndexes, openSettlements, SettlementStore } from './settlement/store';
import {
  type EventCollection,
  type EventDocument,
  ensureEventIndexes,
  EventStore,
  openEvents,
} from './usage/event-store';
import { SealScheduleCache } from './usage/seal-schedule';
import { sealHours } from './usage/sealing-worker';
import { SeriesStore } from './usage/series-store';
import { ensureUsageIndexes, openUsage, UsageStore } from './usage/store';

// About 200 bytes per customer.
const customersMax = 50_000;
const seriesMax = 50_000;
const sealEveryMs = 20_000;
// See `EpochWorker`.
const epochEveryMs = 2_000;
const foldEveryMs = 2_000;
const deleteSpansEveryMs = 60 * 60_000;
// Enough for some millions of events. The rest is decided by the caller's next retry.
const settlementMsMax = 5 * 60_000;
// Larger batches gain little. Four concurrent commands saturate the database; more would only queue
// up. The spacing limits the number of parts that a read of a series has to add.
const queueBounds = { batchMax: 1_000, flushesMax: 4, itemsMax: 30_000, spacingMs: 20 };

/** Starts the metering service: meters and usage over gRPC. */
export async function start(
  config: MeteringConfiguration,
  overrides: ServiceOverrides = {},
): Promise<RunningService> {
  const service = await Service.open('metering', config, overrides);
  const { clock, logger, db } = service;
  const peers = connectPeers(service, config);
  const meters = service.aggregates(meterDefinition);
  const accounts = service.aggregates(accountDefinition);
  const grantDetails = openGrantDetails(db);
  const closedCredits = openClosedCredits(db);
  const settlements = openSettlements(db);
  const eventCollection = openEvents(db);
  const usage = openUsage(db, eventCollection);
  service.ensureIndexes(() => ensureEventIndexes(eventCollection));
  service.ensureIndexes(() => ensureUsageIndexes(usage));
  service.ensureIndexes(() => ensureSettlementIndexes(settlements));
  service.ensureIndexes(() => ensureAccountIndexes(accounts));
  service.ensureIndexes(() => ensureClosedCreditIndexes(closedCredits));
  const events = new EventStore(eventCollection);
  const usageOf = ({ tenant }: Pick<CallContext, 'tenant'>) => new UsageStore(usage, tenant);
  const { writer, counted, readUntil } = startFlushes(service, { events: eventCollection, meters });
  const foldWakes = startFolds(service, { events: eventCollection, meters, readUntil });
  const queue = new IngestQueue<NewEvent, EventDocument>({
    ...queueBounds,
    flush: (items) => writer.flush(items),
  });
  const { slices } = service;
  const sealing = { series: new SeriesStore(usage.series), meters, usageOf, slices, clock, logger };
  service.every({
    name: 'seal hours of usage',
    everyMs: sealEveryMs,
    run: (signal) => sealHours(sealing, signal),
  });
  const runs = new SettlementRuns<Settlement>({
    runMsMax: settlementMsMax,
    nowMs: monotonicMs,
  });
  service.metrics.observeSettlements(() => runs.longestMs());
  service.metrics.observeOpenCredits(() => mostOpenGrants(accounts));
  service.onClose('settlements', () => runs.stop());
  return service.serve([
    meteringRpc({
      meters,
      accounts,
      grantDetailsOf: ({ tenant }) => new GrantDetailsStore(grantDetails, tenant),
      closedCreditsOf: ({ tenant }) => new ClosedCreditStore(closedCredits, tenant),
      settlementsOf: ({ tenant }) => new SettlementStore(settlements, tenant),
      runs,
      events,
      queue,
      counted,
      foldWakes,
      directory: new CustomerDirectory(customersMax),
      usageOf,
      sealSchedule: new SealScheduleCache(seriesMax),
      arrivals: new ArrivalOrder(),
      peers,
      clock,
    }),
    reportRpc({
      meters,
      accounts,
      meterUsageOf: ({ tenant }) => new MeterUsageStore(usage, tenant),
      creditReports: new CreditReportStore(db),
    }),
  ]);
}

/** Starts storing events by flushes, and the work on epochs that all processes share. */
function startFlushes(
  service: Service,
  collections: {
    readonly events: EventCollection;
    readonly meters: AggregateCollection<Meter>;
  },
): { writer: CurrentWriter; counted: CountedEvents; readUntil: ReadUntil } {
  const { logger, metrics, db } = service;
  const epochs = new EpochStore(db);
  const storage = new FlushStore(collections.events, openParts(db));
  const metersOf = (ids: readonly string[]) => findMeters(collections.meters, ids);
  const writer = new CurrentWriter({ epochs, storage, metrics, logger });
  const worker = new EpochWorker({
    storage: epochs,
    recover: (slot) => recoverSlot(slot, { epochs, storage, metersOf }),
    ownWriter: () => writer.number,
    nowMs: monotonicMs,
    logger,
  });
  service.ensureIndexes(() => epochs.open());
  service.every({
    name: 'advance usage epochs',
    everyMs: epochEveryMs,
    run: async (signal) => {
      const reading = await worker.run(signal);
      await writer.beat(reading.current);
    },
  });
  observeEpochs(metrics, worker);
  service.onClose('usage writer', () => writer.close());
  const readUntil: ReadUntil = async ({ isFresh }) => {
    const reading = isFresh ? undefined : worker.reading;
    return (reading ?? (await epochs.readEpoch())).until;
  };
  return { writer, counted: new CountedEvents(storage, epochs), readUntil };
}

/** Starts folding parts into buckets. Returns how ingest wakes series. */
function startFolds(
  service: Service,
  {
    events,
    meters,
    readUntil: until,
  }: {
    readonly events: EventCollection;
    readonly meters: AggregateCollection<Meter>;
    readonly readUntil: ReadUntil;
  },
): FoldWakes<WokenSeries> {
  const { clock, logger, db } = service;
  const buckets = openBuckets(db, events);
  const schedule = new FoldScheduleStore(buckets.series);
  const unread = new UnreadSpanStore(buckets);
  service.ensureIndexes(() => ensureBucketIndexes(buckets));
  service.ensureIndexes(() => schedule.ensureIndexes());
  const storageOf: FoldDependencies['storageOf'] = (series) =>
    new BucketStore(buckets, series, { until, clock });
  service.every({
    name: 'fold usage',
    everyMs: foldEveryMs,
    run: (signal) => foldDueSeries({ schedule, meters, storageOf, clock, logger }, signal),
  });
  service.every({
    name: 'delete unread usage spans',
    everyMs: deleteSpansEveryMs,
    run: async (signal) => {
      while (!signal.aborted && (await unread.deleteSome(clock.now())));
    },
  });
  return new FoldWakes(schedule, seriesMax);
}
