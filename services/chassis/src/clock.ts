/** Source of the current time: real time in production, chosen times in tests. */
export interface Clock {
  now(): Date;
}

/** The wall clock; the only place in the code base that reads it. */
export const systemClock: Clock = { now: () => new Date() };

/** Monotonic milliseconds, for durations only. */
export function monotonicMs(): number {
  return performance.now();
}

/** Resolves after `ms`, or immediately when `signal` aborts. Loops check the signal afterwards. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal?.addEventListener('abort', finish, { once: true });
  });
}
