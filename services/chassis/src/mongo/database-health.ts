import { monotonicMs } from '../clock';
import type { Logger } from '../telemetry/logging';

// Time for which one answer of the database is cached.
const freshMs = 2_000;

/**
 * Tells if the database answers, by an answer or a ping that is at most two seconds old.
 * Concurrent callers share one ping.
 */
export class DatabaseHealth {
  private known: { readonly isUp: boolean; readonly atMs: number } | undefined;
  private probing: Promise<boolean> | undefined;

  constructor(
    private readonly ping: () => Promise<void>,
    private readonly logger: Logger,
    private readonly nowMs: () => number = monotonicMs,
  ) {}

  async isUp(): Promise<boolean> {
    const { known } = this;
    if (known !== undefined && this.nowMs() - known.atMs < freshMs) return known.isUp;
    this.probing ??= this.probe().finally(() => {
      this.probing = undefined;
    });
    return this.probing;
  }

  /** Records that the database has just answered something else, which saves a ping. */
  recordAnswer(): void {
    this.known = { isUp: true, atMs: this.nowMs() };
  }

  private async probe(): Promise<boolean> {
    const isUp = await this.answers();
    this.known = { isUp, atMs: this.nowMs() };
    return isUp;
  }

  private async answers(): Promise<boolean> {
    try {
      await this.ping();
      return true;
    } catch (error) {
      this.logger.warn({ err: error }, 'database not responding');
      return false;
    }
  }
}
