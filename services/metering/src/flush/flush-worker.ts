import { monotonicMs } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { DomainError } from '@billing/kernel/domain-error';
import type { EpochStorage, UsageEpoch } from '../epoch/epoch';
import type { FlushStorage } from './flush-storage';
import { FencedError, type RetryUntilFenced } from './slot';
import { type FlushItem, type StoredFlush, storeFlush } from './store-flush';
import { Writer } from './writer-worker';

/** Records each flush. */
interface FlushMetrics {
  recordFlush(flush: {
    readonly outcome: 'STORED' | 'FENCED' | 'FAILED';
    readonly durationMs: number;
  }): void;
}

export interface CurrentWriterDependencies {
  readonly epochs: EpochStorage;
  readonly storage: FlushStorage;
  readonly metrics: FlushMetrics;
  readonly logger: Logger;
}

// A caller's deadline is 10 s.
const slotWaitMsMax = 10_000;

/** The writer of this process. Registered with the first flush, and again after it has ended. */
export class CurrentWriter {
  private opening: Promise<Writer> | undefined;
  private opened: Writer | undefined;

  constructor(private readonly dependencies: CurrentWriterDependencies) {}

  /** The number of the writer; undefined if there is none. */
  get number(): number | undefined {
    return this.opened?.number;
  }

  /**
   * Stores and counts events. Rejects at the first failure, so that the callers can retry; the
   * writer goes on until the flush is done. Rejects also if the writer was fenced.
   */
  flush<Item extends FlushItem>(items: readonly Item[]): Promise<StoredFlush<Item>> {
    return new Promise((resolve, reject) => {
      this.store(items, reject).then(resolve, reject);
    });
  }

  /** Keeps the slots at the current epoch; called every two seconds. */
  async beat(reading: UsageEpoch): Promise<void> {
    const writer = this.opened;
    if (writer === undefined) return;
    try {
      await writer.beat(reading);
    } catch (error) {
      if (!(error instanceof FencedError)) throw error;
      this.dependencies.logger.warn({ writer: writer.number }, 'writer was fenced');
    }
    if (writer.isEnded) this.replace(writer);
  }

  /** Removes the writer's slots. */
  async close(): Promise<void> {
    try {
      await this.opened?.leave();
    } catch (error) {
      // Other processes find the slots silent.
      this.dependencies.logger.warn({ err: error }, 'slots of the writer not removed');
    }
  }

  private async store<Item extends FlushItem>(
    items: readonly Item[],
    onFailure: (error: unknown) => void,
  ): Promise<StoredFlush<Item>> {
    const { metrics, storage } = this.dependencies;
    const startedMs = monotonicMs();
    const record = (outcome: 'STORED' | 'FENCED' | 'FAILED') => {
      metrics.recordFlush({ outcome, durationMs: monotonicMs() - startedMs });
    };
    const progress = { hasStarted: false, hasFailed: false };
    const noteFailure = (error: unknown) => {
      progress.hasFailed = true;
      onFailure(error);
    };
    for (;;) {
      const writer = await this.writer();
      const retry: RetryUntilFenced = (step) => writer.retryReporting(step, noteFailure);
      try {
        const stored = await writer.run(
          (slot, reading) => {
            const awaitOver = (epoch: number) => writer.awaitOver(epoch, retry);
            const onStart = () => {
              progress.hasStarted = true;
            };
            return storeFlush(slot, items, { storage, reading, awaitOver, retry, onStart });
          },
          { retry, signal: AbortSignal.timeout(slotWaitMsMax) },
        );
        record('STORED');
        return stored;
      } catch (error) {
        const isFenced = error instanceof FencedError;
        if (isFenced) this.replace(writer);
        // Fenced while it was idle: the slot refused the flush, so that nothing of it is stored.
        // Once the callers got an error, nothing is sent: they repeat their batches themselves.
        if (isFenced && !progress.hasStarted && !progress.hasFailed) continue;
        record(isFenced ? 'FENCED' : 'FAILED');
        throw isFenced || isTimeout(error) ? unavailable(error) : error;
      }
    }
  }

  private async writer(): Promise<Writer> {
    if (this.opened?.isEnded === true) this.replace(this.opened);
    this.opening ??= this.open();
    return this.opening;
  }

  private async open(): Promise<Writer> {
    const { epochs } = this.dependencies;
    try {
      this.opened = new Writer(await epochs.registerWriter(), epochs);
      return this.opened;
    } catch (error) {
      this.opening = undefined;
      throw error;
    }
  }

  private replace(writer: Writer): void {
    if (this.opened !== writer) return;
    this.dependencies.logger.warn(
      { writer: writer.number },
      'writer fenced, registering a new one',
    );
    this.opened = undefined;
    this.opening = undefined;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

function unavailable(cause: unknown): DomainError {
  return new DomainError('unavailable', 'WRITER_FENCED', 'Service unavailable', { cause });
}
