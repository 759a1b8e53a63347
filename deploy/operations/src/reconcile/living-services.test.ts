import type { Heartbeat } from '@billing/chassis/replica-store';
import { LivingServices } from './living-services';

const beatOf = (beat: number, restore = 'r'): Heartbeat => ({
  replica: 'elsewhere',
  beat,
  at: new Date('2026-11-28T12:00:00Z'),
  release: '0.2.0',
  system: { state: 'RECOVERING', writing: 0, restore },
});

describe('a service in a recovery', () => {
  test.each<[string, (beat: number) => Heartbeat[], boolean]>([
    ['that beats', (beat) => [beatOf(beat)], true],
    ['that was never started', () => [], false],
    ['whose replica hangs', () => [beatOf(1)], false],
    ['whose replica recovers from another restore', (beat) => [beatOf(beat, 'other')], false],
  ])('%s', (_name, beats, isAlive) => {
    let nowMs = 0;
    const living = new LivingServices('r', () => nowMs);
    const watch = () => {
      for (let second = 0; second <= 61; second += 1) {
        nowMs = second * 1_000;
        living.observe('checkout', beats(second));
      }
    };
    if (isAlive) expect(watch).not.toThrow();
    else expect(watch).toThrow('No replica of checkout is running: start the services');
  });
});
