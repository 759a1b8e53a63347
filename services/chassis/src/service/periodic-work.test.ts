import { createLogger } from '../telemetry/logging';
import { PeriodicRuns } from './periodic-work';

const hourMs = 60 * 60_000;

describe('work of one replica', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test('begins soon after its slice was gained, and then keeps its interval', async () => {
    let isOwner = false;
    let runs = 0;
    let close = (): Promise<void> => Promise.resolve();
    new PeriodicRuns({
      logger: createLogger({ service: 'test', level: 'silent' }),
      slices: { owns: () => isOwner },
      isStorageFull: () => false,
      isClosed: () => false,
      onClose: (_name, stop) => (close = stop),
    }).start({
      name: 'hourly',
      everyMs: hourMs,
      run: async () => {
        runs += 1;
      },
      onOneReplica: true,
    });
    await jest.advanceTimersByTimeAsync(2_000);
    isOwner = true;
    expect(runs).toBe(0);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(runs).toBe(1);
    await jest.advanceTimersByTimeAsync(hourMs / 2);
    expect(runs).toBe(1);
    await close();
  });
});

describe('periodic work', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test.each([
    ['nothing', { isFull: true, isClosed: true }, 1],
    ['deletions', { isFull: true, isClosed: false }, 1],
    ['deletions', { isFull: false, isClosed: true }, 0],
    ['anything', { isFull: true, isClosed: false }, 0],
    ['anything', { isFull: false, isClosed: true }, 0],
    ['anything', { isFull: false, isClosed: false }, 1],
  ] as const)('that writes %s, with %j, runs %i times', async (writes, state, expected) => {
    let runs = 0;
    let close = (): Promise<void> => Promise.resolve();
    new PeriodicRuns({
      logger: createLogger({ service: 'test', level: 'silent' }),
      slices: { owns: () => true },
      isStorageFull: () => state.isFull,
      isClosed: () => state.isClosed,
      onClose: (_name, stop) => (close = stop),
    }).start({
      name: 'hourly',
      everyMs: hourMs,
      run: async () => {
        runs += 1;
      },
      writes,
    });
    await jest.advanceTimersByTimeAsync(1_000);
    expect(runs).toBe(expected);
    await close();
  });
});
