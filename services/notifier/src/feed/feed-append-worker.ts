import type { Clock } from '@billing/chassis/clock';
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
// Time between two runs of one environment: the more they collect, the fewer commands they take.
const pauseMs = 200;
const runningMax = 4;
// Beyond this, messages are left to the sweep.
const environmentsMax = 10_000;
const retryMsMin = 200;
const retryMsMax = 30_000;

/**
 * Appends the messages that this process accepts to the feeds of their environments, in batches.
 * Webhooks do not wait for it. The sweep appends what a process that dies leaves behind.
 */
export class FeedAppender {
  // Messages by environment; empty between a run and the end of its pause.
  private readonly accepted = new Map<string, FeedMessage[]>();
  private readonly timers = new Map<string, NodeJS.Timeout>();
  private readonly queue: KeyedRetryQueue;

  constructor(private readonly dependencies: FeedAppenderDependencies) {
    this.queue = new KeyedRetryQueue({
      runningMax,
      waitingMax: environmentsMax,
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
    if (waiting !== undefined) {
      waiting.push(message);
    } else if (this.accepted.size < environmentsMax) {
      this.accepted.set(environmentId, [message]);
      this.runAfter(batchDelayMs, environmentId);
    }
  }

  /** Appends messages of one environment now. */
  async append(environmentId: string, messages: readonly FeedMessage[]): Promise<void> {
    const { log, clock, onAppended } = this.dependencies;
    const { newest } = await appendToFeed(environmentId, messages, { log, clock });
    if (newest > 0) onAppended(environmentId, newest);
  }

  /** Appends what was accepted before; a failure leaves it to the sweep. */
  async stop(): Promise<void> {
    await this.queue.stop();
    for (const timer of this.timers.values()) clearTimeout(timer);
    await Promise.allSettled([...this.accepted.keys()].map((id) => this.flush(id)));
  }

  private runAfter(ms: number, environmentId: string): void {
    const timer = setTimeout(() => {
      this.timers.delete(environmentId);
      if (this.accepted.get(environmentId)?.length === 0) this.accepted.delete(environmentId);
      else this.queue.submit(environmentId, () => this.run(environmentId));
    }, ms);
    this.timers.set(environmentId, timer);
  }

  private async run(environmentId: string): Promise<void> {
    await this.flush(environmentId);
    this.runAfter(pauseMs, environmentId);
  }

  private async flush(environmentId: string): Promise<void> {
    const messages = this.accepted.get(environmentId) ?? [];
    this.accepted.set(environmentId, []);
    try {
      await this.append(environmentId, messages);
    } catch (error) {
      const later = this.accepted.get(environmentId) ?? [];
      this.accepted.set(environmentId, [...messages, ...later]);
      throw error;
    }
  }
}
