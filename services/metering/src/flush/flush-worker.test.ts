import { createLogger } from '@billing/chassis/logging';
import { firstGeneration } from '../testing/events';
import { atMinute, epochsOf, flushesOf, FlushWorld, minuteOf } from '../testing/flush-world';
import { immediateTurns } from '../testing/scheduler';
import { type EventDocument, toEventDocument } from '../usage/event-store';
import { CurrentWriter } from './flush-worker';
import type { EpochStorage, UsageEpoch } from '../epoch/epoch';
import type { FlushStorage } from './flush-storage';
import { recoverSlot } from './recover-slot';
import { type RetryUntilFenced, Slot } from './slot';

const logger = createLogger({ service: 'test', level: 'silent', file: undefined });
const meter = { aggregation: 'COUNT', uniqueProperty: null } as const;

const retry: RetryUntilFenced = (step) => step();

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});

afterEach(() => {
  jest.useRealTimers();
});

function itemOf(eventId: string, minute = 1) {
  const document = toEventDocument(
    { environmentId: 'e' },
    {
      eventId,
      customerId: 'c',
      meterId: 'm',
      quantity: '1',
      timestamp: atMinute(minute),
      properties: {},
      receivedAt: atMinute(1),
      arrival: 1,
    },
  );
  const isSame = (stored: EventDocument) => minuteOf(stored) === minute;
  return { document, meter, firstArrivalMs: 0, isSame };
}

function aProcess(
  world: FlushWorld,
  changes: Partial<FlushStorage> = {},
  epochChanges: Partial<EpochStorage> = {},
) {
  const outcomes: string[] = [];
  const writer = new CurrentWriter({
    epochs: { ...epochsOf(world, immediateTurns, 'writer'), ...epochChanges },
    storage: { ...flushesOf(world, immediateTurns, 'writer'), ...changes },
    metrics: {
      recordFlush: ({ outcome }) => {
        outcomes.push(outcome);
      },
    },
    logger,
  });
  return { writer, outcomes };
}

function readingAt(current: number): UsageEpoch {
  return { current, until: 0, generations: [firstGeneration] };
}

const slotsOf = (world: FlushWorld) => [...world.slots.values()];

/** Recovers every dead slot, as another process does. */
async function recoverSlots(world: FlushWorld): Promise<void> {
  for (const slot of slotsOf(world).filter(({ dead }) => dead)) {
    await recoverSlot(slot, {
      epochs: epochsOf(world, immediateTurns, 'other'),
      storage: flushesOf(world, immediateTurns, 'other'),
      metersOf: (ids) => Promise.resolve(new Map(ids.map((id) => [id, meter]))),
    });
  }
}

test('flushes one after another use one slot; concurrent ones use four', async () => {
  const world = new FlushWorld();
  const { writer } = aProcess(world);
  for (const name of ['a', 'b', 'c']) await writer.flush([itemOf(name)]);
  expect(slotsOf(world)).toHaveLength(1);
  await Promise.all(['d', 'e', 'f', 'g', 'h'].map((name) => writer.flush([itemOf(name)])));
  expect(slotsOf(world)).toHaveLength(4);
  expect(world.countOf(1)).toBe(8);
});

test('a slot between flushes moves on, and is parked after ten seconds', async () => {
  const world = new FlushWorld();
  const { writer } = aProcess(world);
  await writer.flush([itemOf('a')]);
  await writer.beat(readingAt(4));
  expect(slotsOf(world)).toMatchObject([{ epoch: 4, ids: [], flush: '' }]);
  jest.advanceTimersByTime(10_001);
  await writer.beat(readingAt(9));
  expect(slotsOf(world)).toMatchObject([{ epoch: null }]);
  // `current` is read again after the slot was taken into use.
  world.current = 12;
  await writer.flush([itemOf('b')]);
  expect(slotsOf(world)).toMatchObject([{ epoch: 12 }]);
});

test('a writer whose slots were removed while it was idle registers again, without an error', async () => {
  const world = new FlushWorld();
  const { writer, outcomes } = aProcess(world);
  await writer.flush([itemOf('a')]);
  jest.advanceTimersByTime(10_001);
  await writer.beat(readingAt(1));
  world.slots.clear();
  await writer.flush([itemOf('b')]);
  expect(writer.number).toBe(2);
  expect(outcomes).toEqual(['STORED', 'STORED']);
  expect(world.countOf(1)).toBe(2);
});

test('a writer that was fenced between flushes registers again, without an error', async () => {
  const world = new FlushWorld();
  const { writer, outcomes } = aProcess(world);
  await writer.flush([itemOf('a')]);
  await epochsOf(world, immediateTurns, 'other').fence(1);
  await writer.flush([itemOf('b')]);
  expect(writer.number).toBe(2);
  expect(outcomes).toEqual(['STORED', 'STORED']);
  expect(world.countOf(1)).toBe(2);
});

test('a writer that is fenced during a flush answers unavailable, and registers again', async () => {
  const world = new FlushWorld();
  const stored = flushesOf(world, immediateTurns, 'writer');
  const { writer, outcomes } = aProcess(world, {
    insertEvents: async (events, generation) => {
      await epochsOf(world, immediateTurns, 'other').fence(1);
      await recoverSlots(world);
      return stored.insertEvents(events, generation);
    },
  });
  await expect(writer.flush([itemOf('a')])).rejects.toMatchObject({ kind: 'unavailable' });
  await writer.flush([itemOf('a')]);
  expect(writer.number).toBe(2);
  expect(outcomes).toEqual(['FENCED', 'STORED']);
  expect(world.countOf(1)).toBe(1);
});

test('a writer whose flush lasts a minute abandons itself', async () => {
  const world = new FlushWorld();
  let isStuck = true;
  const stored = flushesOf(world, immediateTurns, 'writer');
  const { writer } = aProcess(world, {
    insertParts: (parts) =>
      isStuck ? new Promise<void>(() => undefined) : stored.insertParts(parts),
  });
  void writer.flush([itemOf('a')]);
  await new Promise(setImmediate);
  jest.advanceTimersByTime(59_000);
  await writer.beat(readingAt(1));
  expect(writer.number).toBe(1);
  jest.advanceTimersByTime(2_000);
  await writer.beat(readingAt(1));
  expect(slotsOf(world)).toMatchObject([{ dead: true, ids: ['e:a'] }]);
  isStuck = false;
  await writer.flush([itemOf('b')]);
  expect(writer.number).toBe(2);
});

test('a step that fails is repeated after its callers got the error', async () => {
  const world = new FlushWorld();
  const stored = flushesOf(world, immediateTurns, 'writer');
  let failures = 2;
  const { writer, outcomes } = aProcess(world, {
    insertParts: async (parts) => {
      failures -= 1;
      if (failures >= 0) throw new Error('No database');
      await stored.insertParts(parts);
    },
  });
  await expect(writer.flush([itemOf('a')])).rejects.toThrow('No database');
  expect(world.countOf(1)).toBe(0);
  await jest.advanceTimersByTimeAsync(2_000);
  expect(world.countOf(1)).toBe(1);
  expect(outcomes).toEqual(['STORED']);
});

test('nothing is sent by another writer once the callers got an error', async () => {
  const world = new FlushWorld();
  const epochs = epochsOf(world, immediateTurns, 'writer');
  let isDown = true;
  const insertSlot: EpochStorage['insertSlot'] = (slot) =>
    isDown ? Promise.reject(new Error('No database')) : epochs.insertSlot(slot);
  const { writer, outcomes } = aProcess(world, {}, { insertSlot });
  await expect(writer.flush([itemOf('a')])).rejects.toThrow('No database');
  await jest.advanceTimersByTimeAsync(60_000);
  isDown = false;
  await jest.advanceTimersByTimeAsync(60_000);
  expect(world.copiesOf('e:a')).toBe(0);
  expect(outcomes).toEqual(['FENCED']);
});

test('a flush that fails for a reason of its own is left to recovery', async () => {
  const world = new FlushWorld();
  const { writer } = aProcess(world);
  const { document } = itemOf('a');
  const broken = {
    document: { ...document, properties: 'no JSON' },
    meter: { aggregation: 'UNIQUE_COUNT', uniqueProperty: 'user' } as const,
    firstArrivalMs: 0,
    isSame: () => true,
  };
  await expect(writer.flush([broken])).rejects.toThrow();
  await writer.beat(readingAt(2));
  await writer.flush([itemOf('b')]);
  expect(slotsOf(world)).toMatchObject([{ writer: 1, dead: true, ids: ['e:a'] }, { writer: 2 }]);
});

test('a beat never takes a slot from a flush, whenever it comes', async () => {
  // The beat comes that many turns after the first of five flushes may end, while one waits.
  for (let turns = 0; turns < 100; turns += 1) {
    const world = new FlushWorld();
    const stored = flushesOf(world, immediateTurns, 'writer');
    const held: (() => void)[] = [];
    const { writer } = aProcess(world, {
      insertEvents: async (events, place) => {
        await new Promise<void>((resolve) => held.push(resolve));
        return stored.insertEvents(events, place);
      },
    });
    const flushes = ['a', 'b', 'c', 'd', 'e'].map((name) => writer.flush([itemOf(name)]));
    await new Promise(setImmediate);
    held[0]?.();
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    const beating = writer.beat(readingAt(5));
    await new Promise(setImmediate);
    held[1]?.();
    await new Promise(setImmediate);
    expect(slotsOf(world).map(({ ids }) => ids)).toContainEqual(['e:e']);
    for (const release of held) release();
    await Promise.all([...flushes, beating]);
    expect(world.countOf(1)).toBe(5);
  }
});

test('the first flush in a generation waits for flushes in the one before', async () => {
  const world = new FlushWorld();
  const other = new Slot({ writer: 9, slot: 0 }, epochsOf(world, immediateTurns, 'other'));
  await other.acquire(retry);
  await other.beginFlush({ epoch: world.current, ids: ['e:a'] }, retry);
  world.beginGeneration(world.current);
  const { writer } = aProcess(world);
  const flushed = writer.flush([itemOf('a'), itemOf('b')]);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(world.copiesOf('e:b')).toBe(0);
  const { document } = itemOf('a');
  world.insertEvent({ ...document, epoch: 1, flush: 'other' }, firstGeneration);
  world.until = 1;
  await jest.advanceTimersByTimeAsync(1_000);
  const { repeats } = await flushed;
  expect([...repeats.values()]).toMatchObject([{ _id: 'e:a', flush: 'other' }]);
  expect([world.copiesOf('e:a'), world.copiesOf('e:b')]).toEqual([1, 1]);
});

test('a flush looks up only events that an older generation may have', async () => {
  const world = new FlushWorld();
  const lookups: string[] = [];
  const stored = flushesOf(world, immediateTurns, 'writer');
  world.beginGeneration(1);
  world.until = 1;
  const { writer } = aProcess(world, {
    findEvents: (ids, place) => {
      lookups.push(...ids);
      return stored.findEvents(ids, place);
    },
  });
  const arrivedAt = world.generations[1]?.since.getTime() ?? 0;
  const late = { ...itemOf('b'), firstArrivalMs: arrivedAt + 15 * 60_000 };
  await writer.flush([{ ...itemOf('a'), firstArrivalMs: arrivedAt + 15 * 60_000 - 1 }, late]);
  expect(lookups).toEqual(['e:a']);
});

test('an event that is stored in any generation is repeated, also if its id was used again later', async () => {
  const world = new FlushWorld();
  await aProcess(world).writer.flush([itemOf('a', 1)]);
  world.beginGeneration(world.current);
  world.until = world.current - 1;
  const second = { ...itemOf('a', 2), firstArrivalMs: Infinity };
  expect((await aProcess(world).writer.flush([second])).repeats.size).toBe(0);
  world.beginGeneration(world.current);
  world.until = world.current - 1;
  expect(world.copiesOf('e:a')).toBe(2);

  const [again, other, unused] = [itemOf('a', 1), itemOf('a', 3), itemOf('a', 2)];
  const { repeats } = await aProcess(world).writer.flush([other, again, unused, itemOf('b', 3)]);
  expect([...repeats].map(([{ document }, stored]) => [document, minuteOf(stored)])).toEqual([
    [other.document, 2],
    [again.document, 1],
    [unused.document, 2],
  ]);
  expect([world.countOf(1), world.countOf(2), world.countOf(3)]).toEqual([1, 1, 1]);
});

test('an event is found in its own generation if an older one has its id with other content', async () => {
  const world = new FlushWorld();
  await aProcess(world).writer.flush([itemOf('a', 1)]);
  world.beginGeneration(world.current);
  world.until = world.current - 1;
  const { writer } = aProcess(world);
  await writer.flush([{ ...itemOf('a', 2), firstArrivalMs: Infinity }]);
  const { repeats } = await writer.flush([itemOf('a', 2)]);
  expect([...repeats.values()].map(minuteOf)).toEqual([2]);
});

test('a process that stops leaves no slot behind, and ends the epoch of its last flush', async () => {
  const world = new FlushWorld();
  const { writer } = aProcess(world);
  await writer.flush([itemOf('a')]);
  await writer.close();
  expect(slotsOf(world)).toEqual([]);
  expect(world.current).toBe(2);
});

test('the recovery of a flush ends its epoch', async () => {
  const world = new FlushWorld();
  const { writer } = aProcess(world, { insertParts: () => new Promise<void>(() => undefined) });
  void writer.flush([itemOf('a')]);
  await new Promise(setImmediate);
  await epochsOf(world, immediateTurns, 'other').fence(1);
  await recoverSlots(world);
  expect(world.countOf(1)).toBe(1);
  expect(slotsOf(world)).toMatchObject([{ dead: true, epoch: null, ids: [] }]);
  expect(world.current).toBe(2);
});
