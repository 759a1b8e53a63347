import { createLogger } from '@billing/chassis/logging';
import { atMinute, epochsOf, flushesOf, FlushWorld } from '../testing/flush-world';
import { immediateTurns } from '../testing/scheduler';
import { toEventDocument } from '../usage/event-store';
import { CurrentWriter } from './flush-worker';
import type { FlushStorage } from './flush-storage';

const logger = createLogger({ service: 'test', level: 'silent', file: undefined });
const meter = { aggregation: 'COUNT', uniqueProperty: null } as const;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});

afterEach(() => {
  jest.useRealTimers();
});

function itemOf(eventId: string) {
  const document = toEventDocument(
    { environmentId: 'e' },
    {
      eventId,
      customerId: 'c',
      meterId: 'm',
      quantity: '1',
      timestamp: atMinute(1),
      properties: {},
      receivedAt: atMinute(1),
      arrival: 1,
    },
  );
  return { document, meter };
}

function aProcess(world: FlushWorld, changes: Partial<FlushStorage> = {}) {
  const outcomes: string[] = [];
  const writer = new CurrentWriter({
    epochs: epochsOf(world, immediateTurns, 'writer'),
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

const slotsOf = (world: FlushWorld) => [...world.slots.values()];

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
  await writer.beat(4);
  expect(slotsOf(world)).toMatchObject([{ epoch: 4, ids: [], flush: '' }]);
  jest.advanceTimersByTime(10_001);
  await writer.beat(9);
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
  await writer.beat(1);
  world.slots.clear();
  await writer.flush([itemOf('b')]);
  expect(writer.number).toBe(2);
  expect(outcomes).toEqual(['STORED', 'STORED']);
  expect(world.countOf(1)).toBe(2);
});

test('a fenced writer answers unavailable, and registers again', async () => {
  const world = new FlushWorld();
  const { writer, outcomes } = aProcess(world);
  await writer.flush([itemOf('a')]);
  await epochsOf(world, immediateTurns, 'other').fence(1);
  await expect(writer.flush([itemOf('b')])).rejects.toMatchObject({ kind: 'unavailable' });
  await writer.flush([itemOf('b')]);
  expect(writer.number).toBe(2);
  expect(outcomes).toEqual(['STORED', 'FENCED', 'STORED']);
  expect(world.countOf(1)).toBe(2);
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
  await writer.beat(1);
  expect(writer.number).toBe(1);
  jest.advanceTimersByTime(2_000);
  await writer.beat(1);
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

test('a process that stops leaves no slot behind', async () => {
  const world = new FlushWorld();
  const { writer } = aProcess(world);
  await writer.flush([itemOf('a')]);
  await writer.close();
  expect(slotsOf(world)).toEqual([]);
});
