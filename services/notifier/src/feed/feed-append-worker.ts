import { type Clock, sleep } from '@billing/chassis/clock';
import { KeyedRetryQueue } from '@billing/chassis/keyed-retry-queue';
import type { Logger } from '@billing/chassis/logging';
import { appendToFeed, type FeedLog } from './append-to-feed';
import type { FeedMessage } from './feed-run';

export interface FeedAppenderDependencies {
  readonly log: FeedLog;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with an environment whose feed has grown, and its newest position. */
  readonly onAppended: (environmentId: string, newest: number) => void;
}

// Collects the messages of one environment for one run.
const batchDelayMs = 50;
const runningMax = 4;
// Beyond this, messages are left to the sweep.
const waitingMax = 10_000;
const retryMsMin = 200;
const retryMsMax = 30_000;

/**
 * Appends the messages that this process accepts to the feeds of their environments, in batches.
 * Webhooks do not wait for it. The sweep appends what a process that dies leaves behind.
 */
export class FeedAppender {
  private readonly accepted = new Map<string, FeedMessage[]>();
  private readonly stopping = new AbortController();
  private readonly queue: KeyedRetryQueue;

  constructor(private readonly dependencies: FeedAppenderDependencies) {
    this.queue = new KeyedRetryQueue({
      runningMax,
      waitingMax,
      retryDelayMs: (failures) => Math.min(retryMsMin * 2 ** (failures - 1), retryMsMax),
      onFailure: ({ key: environmentId, error }) => {
        dependencies.logger.warn(
          { err: error, environmentId },
          'appending to feed failed, retrying',
        );
      },
    });
  }

  /** Appends a message soon after its acceptance. */
  add(message: FeedMessage): void {
    const { environmentId } = message;
    const waiting = this.accepted.get(environmentId);
    if (waiting === undefined && this.queue.isFull) return;
    if (waiting === undefined) this.accepted.set(environmentId, [message]);
    else waiting.push(message);
    this.queue.submit(environmentId, async () => {
      await sleep(batchDelayMs, this.stopping.signal);
      await this.flush(environmentId);
    });
  }

  /** Appends messages of one environment now. */
  async append(environmentId: string, messages: readonly FeedMessage[]): Promise<void> {
    const { log, clock, onAppended } = this.dependencies;
    const { newest } = await appendToFeed(environmentId, messages, { log, clock });
    if (newest > 0) onAppended(environmentId, newest);
  }

  /** Appends what was accepted before; a failure leaves it to the sweep. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.queue.stop();
    await Promise.allSettled([...this.accepted.keys()].map((id) => this.flush(id)));
  }

  private async flush(environmentId: string): Promise<void> {
    const messages = this.accepted.get(environmentId) ?? [];
    this.accepted.delete(environmentId);
    try {
      await this.append(environmentId, messages);
    } catch (error) {
      const later = this.accepted.get(environmentId) ?? [];
      this.accepted.set(environmentId, [...messages, ...later]);
      throw error;
    }
  }
}
