import fc from 'fast-check';
import {
  type Aggregation,
  type MeasuredEvent,
  type PartialTotal,
  quantityOf,
  totalOf,
} from '../meter/aggregation';
import { changesIn } from '../settlement/decision';
import {
  hourMs,
  hourOf,
  isOpenHour,
  type PendingBatch,
  sealableUntil,
  type Span,
  type UsageHour,
  type UsageStorage,
} from './hour';
import { readUsage } from './reading';
import { sealSeries } from './sealing';

// Model test: runs the steps of ingest, sealing and reading against a table of stored state, in any
// order, with a crash possible at any step. Between two steps of one actor, the others may take
// theirs.

const series = { customerId: 'c', meterId: 'm', uniqueProperty: null };
const minute = 60_000;
const day = new Date('2026-03-01T00:00:00Z').getTime();

interface Sent {
  readonly id: string;
  /** Minutes since the start of the day. */
  readonly minute: number;
  readonly quantity: number;
}

type Action =
  | { readonly kind: 'ingest'; readonly events: readonly number[]; readonly stepsMax: number }
  | { readonly kind: 'seal'; readonly stepsMax: number }
  /** The first actor takes some steps, the second all, then the first the rest. */
  | {
      readonly kind: 'race';
      readonly events: readonly number[];
      readonly first: 'ingest' | 'seal';
      readonly steps: number;
    }
  | { readonly kind: 'wait'; readonly minutes: number }
  /** A paused actor takes its next steps. */
  | { readonly kind: 'step'; readonly who: number; readonly steps: number };

const anySent: fc.Arbitrary<Sent[]> = fc
  .array(
    fc.record({ minute: fc.nat({ max: 3 * 60 - 1 }), quantity: fc.integer({ min: -9, max: 9 }) }),
    { minLength: 1, maxLength: 8 },
  )
  .map((all) => all.map((one, index) => ({ ...one, id: `e${String(index)}` })));

const anyActions = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('ingest' as const),
        events: fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 2 }),
        stepsMax: fc.constantFrom(1, 2, 3, 100, 100),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('seal' as const),
        stepsMax: fc.constantFrom(3, 5, 100, 100),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('race' as const),
        events: fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 2 }),
        first: fc.constantFrom('ingest' as const, 'seal' as const),
        steps: fc.integer({ min: 1, max: 8 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('wait' as const),
        minutes: fc.constantFrom(1, 3, 11, 60),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('step' as const),
        who: fc.nat({ max: 5 }),
        steps: fc.integer({ min: 1, max: 6 }),
      }),
    },
  ),
  { minLength: 4, maxLength: 40 },
);

/** A process whose steps the test takes one by one. */
interface Actor {
  readonly work: Promise<void>;
  /** Runs the next step; false once there is none. */
  next: () => Promise<boolean>;
}

class Crash extends Error {}

/** Stored state. */
class Table {
  readonly events = new Map<string, MeasuredEvent>();
  readonly hours = new Map<number, UsageHour>();
  until: Date | null = null;
  /** A manual clock: past hours cannot be told from future ones. */
  constructor(readonly isManual: boolean) {}
}

function storageOn(
  table: Table,
  pause: () => Promise<void>,
): UsageStorage & {
  insert(events: readonly MeasuredEvent[]): Promise<void>;
} {
  const change = (hour: Date, changed: (before: UsageHour) => UsageHour) => {
    const before = table.hours.get(hour.getTime()) ?? {
      hour,
      version: 0,
      pending: [],
      total: null,
    };
    const after = changed(before);
    table.hours.set(hour.getTime(), { ...after, version: before.version + 1 });
  };
  const inside = ({ start, end }: Span, at: Date) => at >= start && at < end;
  return {
    insert: async (events) => {
      await pause();
      for (const event of events) {
        if (!table.events.has(event.id)) table.events.set(event.id, event);
      }
    },
    beginLate: async (hours, batch) => {
      // One write per hour: a crash may fall between two.
      for (const { hour } of hours) {
        await pause();
        change(hour, (one) => ({ ...one, pending: [...one.pending, batch], total: null }));
      }
    },
    finishLate: async (hours, batchId) => {
      for (const { hour } of hours) {
        await pause();
        if (!table.hours.has(hour.getTime())) continue;
        change(hour, (one) => ({
          ...one,
          pending: one.pending.filter(({ id }) => id !== batchId),
          total: null,
        }));
      }
    },
    hoursIn: async (_series, span) => {
      await pause();
      return [...table.hours.values()].filter(({ hour }) => inside(span, hour));
    },
    hoursWithoutTotal: async (_series, before) => {
      await pause();
      return [...table.hours.values()].filter(({ hour, total }) => hour < before && total === null);
    },
    seal: async (_series, { hour, version }, total: PartialTotal) => {
      await pause();
      const present = table.hours.get(hour.getTime());
      if (present?.version !== version) return false;
      change(hour, (one) => ({ ...one, total }));
      return true;
    },
    dropPending: async (_series, { hour, version }, before) => {
      await pause();
      if (table.hours.get(hour.getTime())?.version !== version) return false;
      change(hour, (one) => ({
        ...one,
        pending: one.pending.filter(({ at }) => at >= before),
        total: null,
      }));
      return true;
    },
    sealedUntil: async () => {
      await pause();
      return table.until;
    },
    moveSealedUntil: async (_series, until) => {
      await pause();
      if (table.until === null || table.until < until) table.until = until;
    },
    eventsIn: async function* (_series, span) {
      await pause();
      yield* [...table.events.values()].filter(({ at }) => inside(span, at));
    },
    edgeOf: async (_series, edge) => {
      await pause();
      const times = [...table.events.values()].map(({ at }) => at.getTime());
      if (times.length === 0) return null;
      return new Date(edge === 'first' ? Math.min(...times) : Math.max(...times));
    },
  };
}

/**
 * Runs work that pauses before each step until the test continues it. After `stepsMax` steps it
 * never continues: a crash.
 */
function actor(stepsMax: number, run: (pause: () => Promise<void>) => Promise<void>): Actor {
  let steps = 0;
  let goOn: () => void = () => undefined;
  let isOver = false;
  const pause = () => {
    steps += 1;
    if (steps > stepsMax) return Promise.reject(new Crash());
    return new Promise<void>((resolve) => {
      goOn = resolve;
    });
  };
  const work = run(pause)
    .catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error;
    })
    .finally(() => {
      isOver = true;
    });
  return {
    work,
    next: async () => {
      goOn();
      // All work between two steps runs in microtasks.
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      return !isOver;
    },
  };
}

async function play(aggregation: Aggregation, sent: Sent[], actions: Action[], isManual: boolean) {
  const table = new Table(isManual);
  const measured = { ...series, aggregation };
  const actors: Actor[] = [];
  let now = day + 2 * hourMs;
  let batches = 0;
  const direct = storageOn(table, () => Promise.resolve());
  const window = { start: new Date(day), end: new Date(day + 5 * hourMs) };
  const boundaries = [new Date(day + 90 * minute)];
  const expectReads = async () => {
    const all = [...table.events.values()];
    const spans = await readUsage(direct, measured, { window, boundaries });
    const shown = spans.map((total) => quantityOf(aggregation, total).toString());
    const isEarly = ({ at }: MeasuredEvent) => at < (boundaries[0] ?? window.end);
    const raw = [all.filter(isEarly), all.filter((event) => !isEarly(event))];
    expect(shown).toEqual(
      raw.map((part) => quantityOf(aggregation, totalOf(aggregation, part)).toString()),
    );
    expectNoticed();
  };
  // Change count of a window
  const seen = new Map<string, string>();
  const expectNoticed = () => {
    for (const minutes of [37, 60]) {
      const start = new Date(day + minutes * minute);
      const span = { start, end: new Date(start.getTime() + hourMs) };
      const hours = [...table.hours.values()].map(({ pending, total, ...hour }) => {
        return { ...hour, isPending: pending.length > 0, events: total?.events ?? 0 };
      });
      const changes = changesIn(span, hours, { isManual, now: new Date(now) });
      if (changes === null) continue;
      const events = [...table.events.values()].filter(({ at }) => at >= start && at < span.end);
      const name = `${String(minutes)} ${String(changes)}`;
      const ids = events
        .map(({ id }) => id)
        .sort()
        .join();
      const before = seen.get(name) ?? ids;
      if (ids !== before) throw new Error(`Unnoticed: ${before} became ${ids}`);
      seen.set(name, ids);
    }
  };
  const ingest = (picked: readonly number[], stepsMax: number) => {
    const chosen = picked.flatMap((index) => sent[index % sent.length] ?? []);
    batches += 1;
    const batch: PendingBatch = { id: `b${String(batches)}`, at: new Date(now) };
    const arrival = batches;
    // The gateway refuses events far ahead of the clock.
    const events = chosen
      .filter((one) => isManual || day + one.minute * minute <= now + 5 * minute)
      .map(({ id, minute: at, quantity }) => ({
        id,
        at: new Date(day + at * minute),
        arrival,
        quantity: String(quantity),
        uniqueValue: String(quantity),
      }));
    const hours = [...new Set(events.map(({ at }) => hourOf(at).getTime()))]
      .map((time) => new Date(time))
      .filter((hour) => isManual || !isOpenHour(hour, batch.at));
    const late = hours.map((hour) => ({ ...series, hour }));
    return actor(stepsMax, async (pause) => {
      const storage = storageOn(table, pause);
      await storage.beginLate(late, batch);
      await storage.insert(events);
      await storage.finishLate(late, batch.id);
    });
  };
  const seal = (stepsMax: number) => {
    const at = new Date(now);
    return actor(stepsMax, async (pause) => {
      const storage = storageOn(table, pause);
      const newest = await storage.edgeOf(series, 'last');
      const until = isManual ? hourOf(newest ?? at) : sealableUntil(at);
      await sealSeries(storage, measured, { until, now: at });
    });
  };
  const waiting: { one: Actor; since: number; isIngest: boolean }[] = [];
  for (const action of actions) {
    switch (action.kind) {
      case 'ingest':
        waiting.push({ one: ingest(action.events, action.stepsMax), since: now, isIngest: true });
        break;
      case 'seal':
        waiting.push({ one: seal(action.stepsMax), since: now, isIngest: false });
        break;
      case 'wait':
        // An insert takes effect within its time limit or never.
        now += action.minutes * minute;
        for (const { one, since, isIngest } of waiting.splice(0)) {
          if (isIngest && now - since >= 5 * minute) actors.push(one);
          else waiting.unshift({ one, since, isIngest });
        }
        break;
      case 'step': {
        const chosen = waiting[action.who % Math.max(1, waiting.length)];
        for (let step = 0; chosen !== undefined && step < action.steps; step += 1) {
          const goesOn = await chosen.one.next();
          await expectReads();
          if (!goesOn) {
            waiting.splice(waiting.indexOf(chosen), 1);
            break;
          }
        }
        break;
      }
      case 'race': {
        const racers = [ingest(action.events, 100), seal(100)];
        const [first, second] = action.first === 'ingest' ? racers : racers.toReversed();
        if (first === undefined || second === undefined) throw new Error('Missing racers');
        for (let step = 0; step < action.steps; step += 1) await first.next();
        while (await second.next()) await expectReads();
        while (await first.next()) await expectReads();
        break;
      }
    }
    await expectReads();
  }
  // Clients retry everything until it succeeds, and all remaining hours are sealed.
  now += 10 * hourMs;
  const last = ingest(
    sent.map((_one, index) => index),
    1000,
  );
  while (await last.next());
  for (let round = 0; round < 3; round += 1) {
    now += 11 * minute;
    const sealing = seal(1000);
    while (await sealing.next());
    await expectReads();
  }
  const recount = sent.map(({ id, minute: at, quantity }) => ({
    id,
    at: new Date(day + at * minute),
    arrival: table.events.get(id)?.arrival ?? 0,
    quantity: String(quantity),
    uniqueValue: String(quantity),
  }));
  const [whole] = await readUsage(direct, measured, { window });
  expect(whole && quantityOf(aggregation, whole).toString()).toBe(
    quantityOf(aggregation, totalOf(aggregation, recount)).toString(),
  );
  const unsealed = await direct.hoursWithoutTotal(series, table.until ?? new Date(0));
  expect(unsealed).toEqual([]);
}

const aggregations: readonly Aggregation[] = ['SUM', 'COUNT', 'MAX', 'LATEST', 'UNIQUE_COUNT'];

test.each([
  ['real', false],
  ['manual', true],
])(
  'on a %s clock, sealed reads always equal raw reads, no event goes unnoticed, and in the end each counts once',
  async (_clock, isManual) => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...aggregations),
        anySent,
        anyActions,
        async (aggregation, sent, actions) => {
          await play(aggregation, sent, actions, isManual);
        },
      ),
      { numRuns: 1000 },
    );
  },
  60_000,
);
