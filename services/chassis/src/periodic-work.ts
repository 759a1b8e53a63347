import { sleep } from './clock';
import { jitter } from './ids';
import type { Logger } from './logging';

/** Work that a service repeats in real time, e.g. reading event logs. */
export interface PeriodicWork {
  readonly name: string;
  readonly everyMs: number;
  /** Stops early when the signal aborts. Failures are logged and the work is repeated. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** False for work that writes nothing, or frees space: it goes on while the disk is full. */
  readonly writes?: boolean;
}

/** What periodic work depends on. */
export interface PeriodicRunsOptions {
  readonly logger: Logger;
  readonly isStorageFull: () => boolean;
  /** Registers what ends the work. */
  readonly onClose: (name: string, close: () => Promise<void>) => void;
}

/** Repeats each piece of work until it is closed. */
export class PeriodicRuns {
  constructor(private readonly options: PeriodicRunsOptions) {}

  /** The first run starts at once. */
  begin(work: PeriodicWork): void {
    const stopping = new AbortController();
    const running = this.repeat(work, stopping.signal);
    this.options.onClose(work.name, () => {
      stopping.abort();
      return running;
    });
  }

  private async repeat(
    { name, everyMs, run, writes = true }: PeriodicWork,
    signal: AbortSignal,
  ): Promise<void> {
    const { logger, isStorageFull } = this.options;
    while (!signal.aborted) {
      try {
        if (!writes || !isStorageFull()) await run(signal);
      } catch (error) {
        logger.warn({ err: error, work: name }, 'periodic work failed, retrying');
      }
      await sleep(everyMs * jitter(0.1), signal);
    }
  }
}
