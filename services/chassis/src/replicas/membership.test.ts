import fc from 'fast-check';
import { gainAfterMs, Membership } from './membership';
import { type Beat, goneAfterMs } from './replica';
import { sliceCount, slicesOf } from './slices';

const every = Array.from({ length: sliceCount }, (_, slice) => slice);
const beats = (...pairs: [string, number][]): Beat[] =>
  pairs.map(([replica, beat]) => ({ replica, beat }));

describe('the membership of a replica', () => {
  test('gives a replica that starts alone every slice at once', () => {
    const membership = new Membership('a');
    expect(membership.slices(0)).toEqual([]);
    membership.observe(beats(['a', 0]), 0);
    expect(membership.slices(0)).toEqual(every);
  });

  test('gives a replica that joins others its slices after the wait', () => {
    const membership = new Membership('b');
    membership.observe(beats(['a', 7], ['b', 0]), 0);
    expect(membership.slices(gainAfterMs - 1)).toEqual([]);
    expect(membership.slices(gainAfterMs)).toEqual(slicesOf('b', ['a', 'b']));
  });

  test('takes slices from a replica as soon as it reads of another', () => {
    const membership = new Membership('a');
    membership.observe(beats(['a', 0]), 0);
    membership.observe(beats(['a', 1], ['b', 0]), 100);
    expect(membership.slices(100)).toEqual(slicesOf('a', ['a', 'b']));
  });

  test('gives slices of a silent replica to the others after it is gone and the wait is over', () => {
    const membership = new Membership('a');
    const half = slicesOf('a', ['a', 'b']);
    for (let second = 0; second <= 14; second += 2) {
      membership.observe(beats(['a', second], ['b', 5]), second * 1_000);
      const isGained = second * 1_000 >= goneAfterMs + gainAfterMs;
      if (second >= 2) expect(membership.slices(second * 1_000)).toEqual(isGained ? every : half);
    }
  });

  test('gives slices of a replica that said goodbye to the others after the wait', () => {
    const membership = new Membership('a');
    membership.observe(beats(['a', 0], ['b', 5]), 0);
    membership.observe(beats(['a', 1]), 2_000);
    expect(membership.slices(2_000)).toEqual(slicesOf('a', ['a', 'b']));
    expect(membership.slices(2_000 + gainAfterMs)).toEqual(every);
  });

  test('counts replicas without a moving heartbeat as gone, never itself', () => {
    const membership = new Membership('a');
    expect(membership.isGone('b', 0)).toBe(false);
    const goneOf = (second: number) =>
      ['a', 'b', 'c'].filter((replica) => membership.isGone(replica, second * 1_000));
    membership.observe(beats(['a', 0], ['b', 5]), 0);
    expect(goneOf(0)).toEqual(['c']);
    membership.observe(beats(['a', 1], ['b', 5], ['c', 0]), 8_000);
    expect(goneOf(9)).toEqual([]);
    expect(goneOf(10)).toEqual(['b']);
    // Nothing was read for ten seconds.
    expect(goneOf(18)).toEqual([]);
  });

  test('keeps what it had for ten seconds without an own heartbeat, and then has nothing', () => {
    const membership = new Membership('a');
    membership.observe(beats(['a', 0]), 0);
    expect(membership.slices(goneAfterMs - 1)).toEqual(every);
    expect(membership.slices(goneAfterMs)).toEqual([]);
  });

  test('waits again after it was silent, if there are others', () => {
    const membership = new Membership('a');
    membership.observe(beats(['a', 0], ['b', 0]), 0);
    membership.observe(beats(['a', 1], ['b', 9]), 20_000);
    expect(membership.slices(20_000)).toEqual([]);
    expect(membership.slices(20_000 + gainAfterMs)).toEqual(slicesOf('a', ['a', 'b']));
  });

  test('reports replicas whose heartbeat has stood still for long, never itself', () => {
    const membership = new Membership('a');
    membership.observe(beats(['a', 0], ['b', 3], ['c', 0]), 0);
    membership.observe(beats(['a', 0], ['b', 3], ['c', 1]), 60_000);
    expect(membership.silentFor(60_000, 60_000)).toEqual(beats(['b', 3]));
  });

  test('covers every slice by exactly one replica once nothing has changed for long enough', () => {
    const replicas = ['a', 'b', 'c', 'd', 'e'];
    // Each step, some replicas write heartbeats, and each of these reads right afterwards, in its
    // own order and with its own clock.
    const step = fc.record({ alive: fc.subarray(replicas, { minLength: 1 }) });
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 20 }),
        fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 5, maxLength: 5 }),
        (steps, clockOffsets) => {
          const stored = new Map<string, number>();
          const members = replicas.map((id) => new Membership(id));
          const last = steps.at(-1)?.alive ?? [];
          const settling = Array.from({ length: 10 }, () => ({ alive: last }));
          const all = [...steps, ...settling];
          all.forEach(({ alive }, index) => {
            for (const id of alive) {
              stored.set(id, (stored.get(id) ?? 0) + 1);
              const number = replicas.indexOf(id);
              const nowMs = index * 2_000 + (clockOffsets[number] ?? 0);
              members[number]?.observe(beats(...stored), nowMs);
            }
          });
          const nowMs = all.length * 2_000;
          const owned = last.flatMap((id) => {
            const number = replicas.indexOf(id);
            return members[number]?.slices(nowMs + (clockOffsets[number] ?? 0)) ?? [];
          });
          expect(owned.toSorted((a, b) => a - b)).toEqual(every);
        },
      ),
    );
  });
});
