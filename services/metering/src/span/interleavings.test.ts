import { LargeReads } from '../distinct/run-large-read';
import { partOf, totalOfMinute } from '../flush/part';
import { foldSeries } from '../fold/fold-series';
import type { NumberedPart } from '../fold/bucket';
import { mergedParts, partWithin } from '../fold/merged-parts';
import type { FlushedEvent, SeriesStorage } from '../fold/series-storage';
import { type Aggregation, mergedTotal, quantityOf, totalOf } from '../meter/aggregation';
import { SeriesTable, type Steps, storageOn, stubOf } from '../testing/series-table';
import { hourMs, type Span } from '../usage/hour';
import { isIn } from './named-set';
import { readUsage } from './read-usage';

// Model test: a seeded scheduler runs the steps of flushes, two folds, and two readers that build
// spans in any order against a table of stored state. A fold or a reader may crash at any step, and
// any write may take effect twice, once late. Ported from a model that was searched exhaustively.

const rounds = process.env.TEST_TIER === 'nightly' ? 20_000 : 1_000;
const day = new Date('2026-03-01T00:00:00Z').getTime();
const aggregations: readonly Aggregation[] = ['SUM', 'COUNT', 'MAX', 'LATEST', 'UNIQUE_COUNT'];
const ticksMax = 260;
const crashesMax = 2;
const lateMax = 2;

function at(minute: number, ms = 0): Date {
  return new Date(day + minute * 60_000 + ms);
}

/** Spans with edges on hours, inside hours, and inside minutes. */
const windows: readonly (readonly Span[])[] = [
  [{ start: at(0), end: at(120) }],
  [{ start: at(30, 15_250), end: at(120) }],
  [
    { start: at(0), end: at(30, 15_250) },
    { start: at(30, 15_250), end: at(90) },
  ],
];
/** Instants of events; two of them in the minute that a span cuts. */
const instants = [at(5), at(30, 15_249), at(30, 15_250), at(30, 59_000), at(61), at(100)];

/** Pseudorandom numbers from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Changes the storage of folds or of reads: a guard is missing. */
interface Mutant {
  readonly fold?: (storage: SeriesStorage, table: SeriesTable) => SeriesStorage;
  readonly read?: (storage: SeriesStorage, table: SeriesTable) => SeriesStorage;
}

/** An actor that waits for its next step. */
interface Waiting {
  readonly actor: number;
  readonly resume: () => void;
}

class Scheduler {
  private waiting: Waiting[] = [];
  private late: (() => void)[] = [];
  private lateEffects = 0;
  private running = 0;
  private actors = 0;
  private failure: Error | undefined;

  constructor(readonly random: () => number) {}

  get isIdle(): boolean {
    return this.waiting.length === 0 && this.late.length === 0;
  }

  start(run: (steps: Steps) => Promise<void>): number {
    this.actors += 1;
    this.running += 1;
    const actor = this.actors;
    run(this.stepsOf(actor))
      .catch((error: unknown) => {
        this.failure ??= error instanceof Error ? error : new Error(String(error));
      })
      .finally(() => {
        this.running -= 1;
      });
    return actor;
  }

  /** The next step of an actor, or the late effect of a write. */
  async step(): Promise<void> {
    const chosen = Math.floor(this.random() * (this.waiting.length + this.late.length));
    const [one] = this.waiting.splice(chosen, 1);
    if (one === undefined) this.late.splice(chosen - this.waiting.length, 1)[0]?.();
    else one.resume();
    // All work between two steps runs in microtasks.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    if (this.failure !== undefined) throw this.failure;
  }

  /** The actor takes no further step. */
  crash(actor: number): void {
    this.waiting = this.waiting.filter((one) => one.actor !== actor);
  }

  pick<T>(all: readonly T[]): T {
    const one = all[Math.floor(this.random() * all.length)];
    if (one === undefined) throw new Error('Nothing to pick from');
    return one;
  }

  private stepsOf(actor: number): Steps {
    const pause = () =>
      new Promise<void>((resume) => {
        this.waiting.push({ actor, resume });
      });
    return {
      read: async (step) => {
        await pause();
        return step();
      },
      write: async (step) => {
        await pause();
        if (this.lateEffects < lateMax && this.random() < 0.1) {
          this.lateEffects += 1;
          this.late.push(step);
          await pause();
        }
        return step();
      },
    };
  }
}

/** One run of the scheduler. */
class Run {
  private readonly table = new SeriesTable();
  private readonly series;
  private current = 1;
  /** Epochs of flushes in progress. */
  private readonly held = new Map<string, number>();
  private readonly acknowledged = new Set<string>();
  private readonly scheduler: Scheduler;
  private flushes = 0;
  private readonly crashable = new Set<number>();

  constructor(
    seed: number,
    private readonly mutant: Mutant,
  ) {
    this.scheduler = new Scheduler(randomFrom(seed));
    const aggregation = this.scheduler.pick(aggregations);
    const uniqueProperty = aggregation === 'UNIQUE_COUNT' ? 'user' : null;
    this.series = { customerId: 'c', meterId: 'm', aggregation, uniqueProperty };
  }

  async play(): Promise<void> {
    const { scheduler } = this;
    this.startFlushes();
    for (let actor = 0; actor < 2; actor += 1) {
      this.startFolds(4);
      this.startReads(3);
    }
    let crashes = 0;
    for (let tick = 0; tick < ticksMax && !scheduler.isIdle; tick += 1) {
      const chance = scheduler.random();
      if (chance < 0.06) this.current += 1;
      else if (chance < 0.14) this.moveUntil();
      else if (chance < 0.15 && crashes < crashesMax && this.crashable.size > 0) {
        crashes += 1;
        const actor = scheduler.pick([...this.crashable]);
        this.crashable.delete(actor);
        scheduler.crash(actor);
        this.startFolds(2);
      } else await scheduler.step();
    }
    while (!scheduler.isIdle) await scheduler.step();
    await this.expectEnd();
  }

  private startFlushes(): void {
    for (let writer = 0; writer < 2; writer += 1) {
      this.scheduler.start(async (steps) => {
        for (let flush = 0; flush < 4; flush += 1) await this.flush(steps);
      });
    }
  }

  private async flush(steps: Steps): Promise<void> {
    const { epoch, name } = await steps.read(() => {
      // Holds `until` back from the same step on.
      this.flushes += 1;
      this.held.set(`f${String(this.flushes)}`, this.current);
      return { epoch: this.current, name: `f${String(this.flushes)}` };
    });
    const events = Array.from({ length: this.scheduler.pick([1, 2]) }, (_one, index) =>
      this.anEvent(`${name}-${String(index)}`, { epoch, flush: name }),
    );
    await steps.read(() => this.table.events.push(...events));
    const part = partFrom(events, this.series);
    await steps.write(() => {
      this.table.insertPart(part);
    });
    this.held.delete(name);
    for (const { id } of events) this.acknowledged.add(id);
  }

  private anEvent(id: string, flush: Pick<FlushedEvent, 'epoch' | 'flush'>): FlushedEvent {
    const { scheduler } = this;
    const quantity = String(scheduler.pick([-2, 1, 3, 7]));
    const uniqueValue = scheduler.pick(['a', 'b', 'c', null]);
    const arrival = this.table.events.length;
    return { id, at: scheduler.pick(instants), arrival, quantity, uniqueValue, ...flush };
  }

  /** Up to `until`, no event and no part is added any more. */
  private moveUntil(): void {
    this.table.until = Math.max(
      this.table.until,
      Math.min(this.current, ...this.held.values()) - 1,
    );
  }

  private startFolds(rounds: number): void {
    const actor = this.scheduler.start(async (steps) => {
      const storage = storageOn(this.table, steps);
      const mutated = this.mutant.fold?.(storage, this.table) ?? storage;
      for (let round = 0; round < rounds; round += 1) {
        await foldSeries(mutated, this.series.aggregation);
      }
    });
    this.crashable.add(actor);
  }

  private startReads(rounds: number): void {
    const actor = this.scheduler.start(async (steps) => {
      const storage = merging(storageOn(this.table, steps), this.series, this.scheduler);
      const mutated = this.mutant.read?.(storage, this.table) ?? storage;
      for (let round = 0; round < rounds; round += 1) {
        await steps.read(() => undefined);
        await this.read(mutated, this.scheduler.pick(windows));
      }
    });
    this.crashable.add(actor);
  }

  private async read(storage: SeriesStorage, window: readonly Span[]): Promise<void> {
    const required = [...this.acknowledged];
    const { set, windows: found } = await readUsage(storage, this.series, {
      environmentId: 'e',
      windows: [window],
      largeReads: new LargeReads(),
      signal: new AbortController().signal,
    });
    const inSet = isIn(set);
    const events = this.table.events.filter((event) => inSet(event));
    const missing = required.filter((id) => !events.some((event) => event.id === id));
    if (missing.length > 0) throw new Error(`Acknowledged, but not in the set: ${missing.join()}`);
    const [read] = found;
    // The set of the window names the same events of the window.
    const inWindow = isIn(read?.set ?? set);
    const inside = this.table.events.filter(
      (event) => inWindow(event) && window.some((span) => contains(span, event.at)),
    );
    const { aggregation } = this.series;
    const expected = quantityOf(aggregation, totalOf(aggregation, inside)).toString();
    const actual = `${read?.quantity.toString() ?? ''} of ${String(read?.events)} events`;
    if (actual !== `${expected} of ${String(inside.length)} events`) {
      throw new Error(`Read ${actual}, expected ${expected} of ${String(inside.length)}`);
    }
  }

  /** Folds what is left; then each bucket equals a recount. */
  private async expectEnd(): Promise<void> {
    const { table, series } = this;
    const { aggregation } = series;
    this.current += 1;
    this.moveUntil();
    const storage = storageOn(table);
    await foldSeries(storage, aggregation);
    if (table.parts.size > 0) throw new Error('Parts are left');
    for (const window of windows) await this.read(storage, window);
    for (const { hour, total, minutes, folded } of table.hours.values()) {
      const span = { start: new Date(hour * hourMs), end: new Date((hour + 1) * hourMs) };
      this.expectTotal('hour', { span, folded, total });
      if (aggregation === 'UNIQUE_COUNT') continue;
      const sum = mergedTotal(aggregation, minutes.map(totalOfMinute));
      this.expectTotal('minutes', { span, folded, total: sum });
    }
    for (const { isStub, folded, total, ...span } of table.spans.values()) {
      if (!isStub) this.expectTotal('span', { span, folded, total });
    }
  }

  private expectTotal(
    name: string,
    bucket: {
      readonly span: Span;
      readonly folded: number;
      readonly total: { readonly events: number; readonly quantity: string | null };
    },
  ): void {
    const { aggregation } = this.series;
    const { span, folded, total } = bucket;
    const events = this.table.events.filter(
      (event) => event.epoch <= folded && contains(span, event.at),
    );
    const recount = totalOf(aggregation, events);
    if (total.events !== recount.events || total.quantity !== recount.quantity) {
      throw new Error(`A ${name} has ${JSON.stringify(total)}, not ${JSON.stringify(recount)}`);
    }
  }
}

function contains({ start, end }: Span, instant: Date): boolean {
  return instant >= start && instant < end;
}

/** A storage whose parts are sometimes merged, as if they were too large. */
function merging(
  storage: SeriesStorage,
  { aggregation }: { readonly aggregation: Aggregation },
  { random }: Pick<Scheduler, 'random'>,
): SeriesStorage {
  return {
    ...storage,
    parts: async (query) => {
      const { hours, cuts } = query;
      const all = await storage.parts(query);
      if (random() < 0.5) return all;
      const parts = hours === undefined ? all : all.map((part) => partWithin(part, hours));
      // As they stream: merged parts are merged with further ones.
      const some = mergedParts(aggregation, parts.slice(0, 3), cuts);
      return mergedParts(aggregation, [...some, ...parts.slice(3)], cuts);
    },
  };
}

function partFrom(
  events: readonly FlushedEvent[],
  { meterId, aggregation }: { readonly meterId: string; readonly aggregation: Aggregation },
): NumberedPart {
  const [first] = events;
  if (first === undefined) throw new Error('A part has events');
  const { epoch, flush } = first;
  const { minutes, values = [] } = partOf(
    { epoch, flush },
    { k: 'k', meterId, aggregation },
    events,
  );
  return { epoch, flush, minutes, values };
}

/** Returns the first failure that matches. */
async function failureWithin(
  seeds: number,
  mutant: Mutant,
  expected = /./,
): Promise<string | undefined> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    try {
      await new Run(seed, mutant).play();
    } catch (error) {
      const failure = `Seed ${String(seed)}: ${String(error)}`;
      if (expected.test(failure)) return failure;
    }
  }
  return undefined;
}

test('every read equals a recount of the set of events that it names, in any order of steps', async () => {
  expect(await failureWithin(rounds, {})).toBeUndefined();
}, 600_000);

const mutants: Record<string, Mutant> = {
  'a read that takes buckets before parts': {
    read: (storage) => {
      let spans: Awaited<ReturnType<SeriesStorage['spans']>> = [];
      let hours: Awaited<ReturnType<SeriesStorage['hours']>> = [];
      return {
        ...storage,
        parts: async (query) => {
          spans = await storage.spans();
          hours = await storage.hours(0, Infinity);
          return storage.parts(query);
        },
        spans: () => Promise.resolve(spans),
        hours: (from, until) =>
          Promise.resolve(hours.filter(({ hour }) => hour >= from && hour < until)),
        hourTotals: (from, until) =>
          Promise.resolve(hours.filter(({ hour }) => hour >= from && hour < until)),
      };
    },
  },
  'a fold that does not compare the version': {
    fold: (storage, table) => ({
      ...storage,
      storeHour: async (hour) => {
        await storage.hours(hour.hour, hour.hour + 1);
        table.hours.set(hour.hour, hour);
        return true;
      },
    }),
  },
  'a span that is built without a stub': {
    read: (storage, table) => ({
      ...storage,
      announce: async (spans) => {
        await storage.spans();
        return spans.map((span) => table.spans.get(nameOf(span)) ?? stubOf(span));
      },
      storeSpan: async (span) => {
        if (!table.spans.has(nameOf(span))) table.spans.set(nameOf(span), stubOf(span));
        return storage.storeSpan(span);
      },
      storeSpans: async (spans) => {
        for (const span of spans) {
          if (!table.spans.has(nameOf(span))) table.spans.set(nameOf(span), stubOf(span));
        }
        return storage.storeSpans(spans);
      },
    }),
  },
  'a read of merged parts that does not know their lowest epoch': {
    read: (storage) => ({
      ...storage,
      parts: async (query) => (await storage.parts(query)).map(({ from: _from, ...part }) => part),
    }),
  },
  'a fold that passes stubs by': {
    fold: (storage) => ({
      ...storage,
      spans: async (within) => (await storage.spans(within)).filter(({ isStub }) => !isStub),
    }),
  },
};

function nameOf({ start, end }: Span): string {
  return `${String(start.getTime())} to ${String(end.getTime())}`;
}

test.each(Object.entries(mutants))(
  '%s reads a wrong quantity',
  async (_name, mutant) => {
    expect(await failureWithin(20_000, mutant, /Read .* expected/)).toBeDefined();
  },
  600_000,
);
