import { refuseIfSlow } from './read-spans';

/** A read that runs until it ends or its signal is aborted. */
type Read<T> = (signal: AbortSignal) => Promise<T>;

// Each may hold some MB of distinct values.
const continuedMax = 4;
const continuedMsMax = 10 * 60_000;

interface ContinuedRead {
  readonly ended: Promise<unknown>;
  readonly ending: AbortController;
}

/**
 * Reads that continue after their callers have stopped waiting. What they build is stored, so that
 * the retry finds it: without them, a count that takes longer than a caller waits would start again
 * with each retry, and never end.
 */
export class ContinuedReads {
  private readonly running = new Map<string, ContinuedRead>();

  constructor(private readonly onFailure: (error: unknown, name: string) => void) {}

  /**
   * Runs a read. Once the caller's signal is aborted, the call fails; the read continues unless too
   * many do. A retry waits for it and then reads again, for events that were acknowledged since.
   */
  async run<T>(name: string, read: Read<T>, signal: AbortSignal): Promise<T> {
    const before = this.running.get(name);
    if (before !== undefined) await endOf(before.ended, signal);
    refuseIfSlow(signal);
    const ending = new AbortController();
    const reading = read(ending.signal);
    const isOver = await endOf(reading, signal);
    if (!isOver) {
      if (this.running.has(name) || this.running.size >= continuedMax) ending.abort();
      else this.continue(name, reading, ending);
      refuseIfSlow(signal);
    }
    return reading;
  }

  /** Ends the reads that continue. */
  close(): void {
    for (const { ending } of this.running.values()) ending.abort();
  }

  private continue(name: string, reading: Promise<unknown>, ending: AbortController): void {
    const timer = setTimeout(() => {
      ending.abort();
    }, continuedMsMax);
    timer.unref();
    const ended = reading
      .catch((error: unknown) => {
        this.onFailure(error, name);
      })
      .finally(() => {
        clearTimeout(timer);
        this.running.delete(name);
      });
    this.running.set(name, { ended, ending });
  }
}

/** Waits for the end of a read, or for a signal. Returns false if the signal came first. */
async function endOf(reading: Promise<unknown>, signal: AbortSignal): Promise<boolean> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<boolean>((resolve) => {
    stop = () => {
      resolve(false);
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
  const ended = reading.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([ended, aborted]);
  } finally {
    if (stop !== undefined) signal.removeEventListener('abort', stop);
  }
}
