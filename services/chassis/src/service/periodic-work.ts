import { sleep } from '../clock';
import { jitter } from '../ids';
import type { Slices } from '../replicas/slices';
import type { Logger } from '../telemetry/logging';

/** Work that a service runs periodically in real time, e.g. reading event logs. */
export interface PeriodicWork {
  readonly name: string;
  readonly everyMs: number;
  /** Stops early when the signal aborts. Failures are logged and retried at the next run. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /**
   * Default: anything. Work that only deletes frees space, and continues while the disk is full;
   * work that writes nothing continues while writes are paused, too.
   */
  readonly writes?: 'anything' | 'deletions' | 'nothing';
  /** True for work that one replica does for all: the owner of the slice of its name. */
  readonly onOneReplica?: boolean;
}

// Another replica's work is looked at this often, so that a start, or a slice that is gained, costs
// no whole interval.
const lookEveryMs = 10_000;

/** Dependencies of periodic work. */
export interface PeriodicRunsDependencies {
  readonly logger: Logger;
  readonly slices: Pick<Slices, 'owns'>;
  readonly isStorageFull: () => boolean;
  /** True while background work waits because of the state of the system. */
  readonly isClosed: () => boolean;
  /** Registers how the work is stopped. */
  readonly onClose: (name: string, close: () => Promise<void>) => void;
}

/** Runs periodic work until it is closed. */
export class PeriodicRuns {
  constructor(private readonly dependencies: PeriodicRunsDependencies) {}

  /** Starts the work; the first run begins immediately. */
  start(work: PeriodicWork): void {
    const stopping = new AbortController();
    const running = this.runUntilClosed(work, stopping.signal);
    this.dependencies.onClose(work.name, () => {
      stopping.abort();
      return running;
    });
  }

  private async runUntilClosed(
    { name, everyMs, run, writes = 'anything', onOneReplica = false }: PeriodicWork,
    signal: AbortSignal,
  ): Promise<void> {
    const { logger, slices } = this.dependencies;
    while (!signal.aborted) {
      const isAnothers = onOneReplica && !slices.owns(name);
      try {
        if (!isAnothers && !this.waits(writes)) await run(signal);
      } catch (error) {
        logger.warn({ err: error, work: name }, 'periodic work failed, retrying');
      }
      const pauseMs = isAnothers ? Math.min(everyMs, lookEveryMs) : everyMs;
      await sleep(pauseMs * jitter(0.1), signal);
    }
  }

  private waits(writes: PeriodicWork['writes']): boolean {
    const { isStorageFull, isClosed } = this.dependencies;
    if (writes === 'nothing') return false;
    return isClosed() || (writes !== 'deletions' && isStorageFull());
  }
}
