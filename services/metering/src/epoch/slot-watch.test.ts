import type { SlotState } from './epoch';
import { SlotWatch } from './slot-watch';

function aSlot(writer: number, changes: Partial<SlotState> = {}): SlotState {
  const id = `${String(writer)}.${String(changes.n ?? 0)}`;
  return { id, writer, dead: false, n: 1, epoch: 5, flush: '', ids: [], ...changes };
}

test('a writer is silent once none of its slots in use has changed for half a minute', () => {
  const watch = new SlotWatch();
  const [silent, parked] = [aSlot(1, { id: '1.0' }), aSlot(1, { id: '1.1', epoch: null })];
  const [still, moving] = [aSlot(2, { id: '2.0' }), aSlot(2, { id: '2.1' })];
  const dead = aSlot(3, { id: '3.0', dead: true });
  const slotsAt = (n: number) => [silent, parked, still, { ...moving, n }, dead];
  expect(watch.findSilent(slotsAt(1), 0).writers).toEqual([]);
  expect(watch.findSilent(slotsAt(2), 15_000).writers).toEqual([]);
  expect(watch.findSilent(slotsAt(3), 30_000).writers).toEqual([]);
  expect(watch.findSilent(slotsAt(4), 30_001).writers).toEqual([1]);
});

test('a parked slot makes its writer silent only after an hour', () => {
  const watch = new SlotWatch();
  const parked = [aSlot(1, { epoch: null })];
  for (let nowMs = 0; nowMs <= 3_600_000; nowMs += 2_000) {
    expect(watch.findSilent(parked, nowMs).writers).toEqual([]);
  }
  expect(watch.findSilent(parked, 3_600_001).writers).toEqual([1]);
});

test('an observer that was frozen needs two readings of the same state', () => {
  const watch = new SlotWatch();
  watch.findSilent([aSlot(1, { id: '1.0', n: 1 })], 0);
  expect(watch.findSilent([aSlot(1, { id: '1.0', n: 20 })], 300_000).writers).toEqual([]);
});

test('after an outage of the database, writers have a moment to move before they are fenced', () => {
  const watch = new SlotWatch();
  const slots = [aSlot(1)];
  expect(watch.findSilent(slots, 0).writers).toEqual([]);
  expect(watch.findSilent(slots, 2_000).writers).toEqual([]);
  expect(watch.findSilent(slots, 300_000).writers).toEqual([]);
  expect(watch.findSilent(slots, 302_000).writers).toEqual([]);
  expect(watch.findSilent(slots, 316_000).writers).toEqual([1]);
});

test('a released slot is removed an hour after its release, one in recovery never', () => {
  const watch = new SlotWatch();
  const [dead, released] = [aSlot(1, { dead: true }), aSlot(1, { dead: true, epoch: null })];
  for (let nowMs = 0; nowMs <= 3_602_000; nowMs += 2_000) {
    expect(watch.findSilent([dead], nowMs)).toEqual({ writers: [], released: [] });
  }
  const startMs = 3_604_000;
  for (let nowMs = startMs; nowMs <= startMs + 3_600_000; nowMs += 2_000) {
    expect(watch.findSilent([released], nowMs).released).toEqual([]);
  }
  expect(watch.findSilent([released], startMs + 3_600_001)).toEqual({
    writers: [],
    released: [released.id],
  });
});
