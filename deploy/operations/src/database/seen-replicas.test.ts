import { goneAfterMs } from '@billing/chassis/replica';
import type { Heartbeat } from '@billing/chassis/replica-store';
import { hasPaused, isBeating, SeenReplicas } from './seen-replicas';

const at = new Date('2026-11-28T12:00:00Z');
const beatOf = (replica: string, beat: number): Heartbeat => ({
  replica,
  beat,
  at,
  release: '0.2.0',
});

describe('a replica', () => {
  test('whose heartbeat stands still is gone', () => {
    const seen = new SeenReplicas(() => false);
    expect(seen.living([beatOf('a', 1)], 0)).toHaveLength(1);
    expect(seen.living([beatOf('a', 1)], goneAfterMs - 1)).toHaveLength(1);
    expect(seen.living([beatOf('a', 1)], goneAfterMs)).toEqual([]);
    expect(seen.living([beatOf('a', 2)], goneAfterMs + 1)).toHaveLength(1);
  });

  test('whose process has ended on this machine is gone at once', () => {
    const seen = new SeenReplicas((replica) => replica === 'a');
    expect(seen.living([beatOf('a', 1), beatOf('b', 1)], 0)).toEqual([beatOf('b', 1)]);
  });

  test.each([
    ['with the same beat', beatOf('a', 1), false],
    ['with the next beat', beatOf('a', 2), true],
    ['that has started since', beatOf('b', 0), true],
  ])('%s beats: %s', (_name, heartbeat, expected) => {
    expect(isBeating(heartbeat, [beatOf('a', 1)])).toBe(expected);
  });

  test.each([
    ['of 0.1.0, which shows no state', undefined, false],
    ['that is open', { state: 'OPEN', writing: 0 }, false],
    ['with a write in flight', { state: 'PAUSED', pause: 'p', writing: 1 }, false],
    ['that obeys an earlier pause', { state: 'PAUSED', pause: 'o', writing: 0 }, false],
    ['that obeys', { state: 'PAUSED', pause: 'p', writing: 0 }, true],
  ] as const)('%s has paused: %s', (_name, system, expected) => {
    expect(hasPaused({ system }, 'p')).toBe(expected);
  });
});
