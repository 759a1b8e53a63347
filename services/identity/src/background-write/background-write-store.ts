import type { Logger } from '@billing/chassis/logging';

/**
 * Writes that calls that read begin and do not wait for. They may fail, for example on a full disk:
 * the next call begins them again.
 */
export class BackgroundWrites {
  // By document. A busy one is read many times before its write is done.
  private readonly running = new Map<string, Promise<void>>();

  constructor(private readonly logger: Logger) {}

  /** Begins a write, unless one of this document runs. A failure is logged with that message. */
  begin(id: string, failure: string, write: () => Promise<unknown>): void {
    if (this.running.has(id)) return;
    const written = this.run(id, failure, write).finally(() => this.running.delete(id));
    this.running.set(id, written);
  }

  /** Waits for the writes in flight. */
  async settle(): Promise<void> {
    await Promise.all(this.running.values());
  }

  private async run(id: string, failure: string, write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.logger.warn({ err: error, id }, failure);
    }
  }
}
