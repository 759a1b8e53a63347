import type { Filter } from 'mongodb';
import type { AggregateDocument, OutboxEntry } from '../aggregates/aggregate';
import type { AggregateCollection } from '../aggregates/aggregate-collection';
import { type Clock, sleep } from '../clock';
import { jitter } from '../ids';
import { everySlice, type SliceFilter, type Slices } from '../replicas/slices';
import { findMatching } from '../mongo/matching-queries';
import { QuietPoll } from '../mongo/quiet-poll';
import type { Logger } from '../telemetry/logging';

/** The queue of one kind of outbox entries. */
export type Lane = OutboxEntry['kind'];
export const laneNames: readonly Lane[] = ['event', 'command'];

/** A lane of a document whose entries wait. */
export interface FoundLane {
  readonly id: string;
  readonly lane: Lane;
  /** True if a lane that runs is to run again. */
  readonly includeBusy: boolean;
}

/** Dependencies of sweeps, and the relay that takes what they find. */
export interface SweepDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Slices that are swept; absent: all. */
  readonly slices?: Slices;
  /** While true, outboxes are not swept. */
  readonly isPaused?: () => boolean;
  /** True if a lane takes no further documents. */
  readonly isFull: (lane: Lane) => boolean;
  readonly submit: (collection: AggregateCollection<never>, found: FoundLane) => void;
}

/** Position of a sweep: documents that have waited since then, except some of that instant. */
interface Position {
  readonly from: Date;
  readonly skip: readonly string[];
}

/** Waiting document as a sweep reads it. */
type Waiting = Pick<AggregateDocument, '_id' | 'live' | 'pendingSince'> & {
  readonly outbox?: readonly Pick<OutboxEntry, 'kind'>[];
};

/** Documents of a collection that are swept one after the other. */
interface Part {
  readonly name: string;
  readonly collection: AggregateCollection<never>;
  readonly filter: SliceFilter & { readonly live: boolean };
}

/**
 * Gives the writing process time to relay its entries before a sweep may find them. Also keeps the
 * activity count ahead of effects.
 */
export const sweepAfterMs = 1_000;
const sweepEveryMs = 1_500;
// Maximum time that done entries stay in a document while its other lane runs.
const sweepBusyAfterMs = 30_000;
const sweepBatch = 100;
// Pages of one sweep; the next one continues after them.
const sweepPagesMax = 50;
const firstPosition: Position = { from: new Date(0), skip: [] };

/**
 * Finds outboxes whose entries no process has relayed, live ones first. One query of all
 * collections suffices while there are none, and one of each collection while there are few.
 */
export class OutboxSweep {
  // Where the last sweep of each lane ended, by part and lane; absent: at the end.
  private readonly positions = new Map<string, Position>();
  private sweptSlices: SliceFilter | undefined;
  private readonly poll: QuietPoll;

  constructor(
    private readonly collections: readonly AggregateCollection<never>[],
    private readonly dependencies: SweepDependencies,
  ) {
    const { slices = everySlice, clock } = dependencies;
    this.poll = new QuietPoll({
      collections: collections.map(({ documents }) => documents),
      isAlone: () => slices.isAlone,
      clock,
    });
  }

  async runUntil(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (this.dependencies.isPaused?.() !== true)
        await this.sweepAll(signal).catch(this.reportFailure);
      await sleep(sweepEveryMs * jitter(0.2), signal);
    }
  }

  private readonly reportFailure = (error: unknown): void => {
    this.dependencies.logger.warn({ err: error }, 'outbox sweep failed, retrying');
  };

  /** Sweeps the collections in which documents wait. A failure in one does not block the next. */
  private async sweepAll(signal: AbortSignal): Promise<void> {
    const slices = (this.dependencies.slices ?? everySlice).filter();
    if (slices === undefined) return;
    if (slices !== this.sweptSlices) this.positions.clear();
    this.sweptSlices = slices;
    const found = await this.poll.poll((until) => {
      const filter = { ...slices, pendingSince: pendingBy(until) };
      return findMatching(
        this.collections.map((collection) => {
          return { collection, documents: collection.documents, filter };
        }),
      );
    });
    const waiting = new Set(found.map(({ collection }) => collection));
    for (const collection of this.collections) {
      if (waiting.has(collection))
        await this.sweep(collection, slices, signal).catch(this.reportFailure);
      else this.forgetPositions(partsOf(collection, slices));
    }
  }

  /**
   * Submits what waits in the replica's slices. Each lane has its own position and continues where
   * its last sweep ended, so that documents whose commands fail never hold up the events of others.
   */
  private async sweep(
    collection: AggregateCollection<never>,
    slices: SliceFilter,
    signal: AbortSignal,
  ): Promise<void> {
    const parts = partsOf(collection, slices);
    const isBegun = parts.some((part) => laneNames.some((lane) => this.isBegun(part, lane)));
    if (!isBegun && (await this.sweepAtOnce(collection, slices))) return;
    for (const part of parts) await this.sweepPart(part, signal);
  }

  private forgetPositions(parts: readonly Part[]): void {
    for (const part of parts) {
      for (const lane of laneNames) this.positions.delete(keyOf(part, lane));
    }
  }

  /** Submits everything that waits, if one batch contains it; otherwise returns false. */
  private async sweepAtOnce(
    collection: AggregateCollection<never>,
    slices: SliceFilter,
  ): Promise<boolean> {
    const now = this.dependencies.clock.now();
    const batch = await readWaiting(collection, { filter: slices, position: firstPosition, now });
    if (batch.length === sweepBatch) return false;
    const sandboxes = batch.filter(({ live }) => !live);
    const open = laneNames.filter((lane) => !this.dependencies.isFull(lane));
    this.submit(collection, [...batch.filter(({ live }) => live), ...sandboxes], { open, now });
    return true;
  }

  private async sweepPart(part: Part, signal: AbortSignal): Promise<void> {
    if (laneNames.every((lane) => !this.isBegun(part, lane))) {
      await this.sweepLanes(part, { lanes: laneNames, start: firstPosition, signal });
      return;
    }
    for (const lane of laneNames) {
      const start = this.positions.get(keyOf(part, lane)) ?? firstPosition;
      await this.sweepLanes(part, { lanes: [lane], start, signal });
    }
  }

  private async sweepLanes(
    part: Part,
    { lanes, start, signal }: { lanes: readonly Lane[]; start: Position; signal: AbortSignal },
  ): Promise<void> {
    const { collection, filter } = part;
    const now = this.dependencies.clock.now();
    let open = lanes;
    let position: Position | undefined = start;
    for (let page = 1; position !== undefined && open.length > 0; page += 1) {
      if (signal.aborted) return;
      for (const lane of open) this.positions.set(keyOf(part, lane), position);
      if (page > sweepPagesMax) return;
      const batch: readonly Waiting[] = await readWaiting(collection, { filter, position, now });
      this.submit(collection, batch, { open, now });
      // A full lane continues at this page.
      open = open.filter((lane) => !this.dependencies.isFull(lane));
      position = nextPosition(position, batch);
    }
    for (const lane of open) this.positions.delete(keyOf(part, lane));
  }

  private submit(
    collection: AggregateCollection<never>,
    batch: readonly Waiting[],
    { open, now }: { open: readonly Lane[]; now: Date },
  ): void {
    // Documents with a running lane are submitted again only after this time.
    const longAgo = new Date(now.getTime() - sweepBusyAfterMs);
    for (const document of batch) {
      const { _id: id, pendingSince } = document;
      const includeBusy = pendingSince !== null && pendingSince < longAgo;
      const inLanes = lanesOf(document);
      for (const lane of open.filter((one) => inLanes.includes(one))) {
        this.dependencies.submit(collection, { id, lane, includeBusy });
      }
    }
  }

  private isBegun(part: Part, lane: Lane): boolean {
    return this.positions.has(keyOf(part, lane));
  }
}

function partsOf(collection: AggregateCollection<never>, slices: SliceFilter): Part[] {
  return [true, false].map((live) => {
    const name = `${collection.definition.collection}/${live ? 'live' : 'sandboxes'}`;
    return { name, collection, filter: { ...slices, live } };
  });
}

function keyOf({ name }: Part, lane: Lane): string {
  return `${name}/${lane}`;
}

/** Range of `pendingSince` of the documents that a sweep may find. */
function pendingBy(now: Date, from = firstPosition.from): { $gte: Date; $lte: Date } {
  return { $gte: from, $lte: new Date(now.getTime() - sweepAfterMs) };
}

async function readWaiting(
  { documents }: AggregateCollection<never>,
  { filter, position, now }: { filter: object; position: Position; now: Date },
): Promise<Waiting[]> {
  const { from, skip } = position;
  const query = { ...filter, pendingSince: pendingBy(now, from), _id: { $nin: skip } };
  return documents
    .find(query as Filter<AggregateDocument>)
    .project<Waiting>({ live: 1, pendingSince: 1, 'outbox.kind': 1 })
    .sort({ pendingSince: 1 })
    .limit(sweepBatch)
    .toArray();
}

// A document without entries still has to be marked as emptied, which any lane does.
function lanesOf({ outbox = [] }: Waiting): readonly Lane[] {
  if (outbox.length === 0) return ['event'];
  return laneNames.filter((lane) => outbox.some(({ kind }) => kind === lane));
}

// The next page starts at the last one's instant and excludes the documents of that instant that
// were seen.
function nextPosition({ from, skip }: Position, batch: readonly Waiting[]): Position | undefined {
  const last = batch.at(-1)?.pendingSince;
  if (batch.length < sweepBatch || !last) return undefined;
  const ties = batch.filter(({ pendingSince }) => pendingSince?.getTime() === last.getTime());
  const earlier = last.getTime() === from.getTime() ? skip : [];
  return { from: last, skip: [...earlier, ...ties.map(({ _id }) => _id)] };
}
