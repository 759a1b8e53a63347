import type { Logger } from '@billing/chassis/logging';
import type { Attempt, AttemptStore } from './attempt-store';
import type { DeliveryStore, Settlement } from './delivery-store';

/** What is written after a delivery was tried, or given back untried. */
export interface Written {
  readonly attempt: Attempt | undefined;
  readonly settlement: Settlement;
}

interface Waiting {
  readonly written: Written;
  readonly done: () => void;
}

/**
 * Writes outcomes in groups: while one group is being written the next one gathers, so that a lone outcome is written at once and many
 * cost hardly more than one.
 */
export class OutcomeStore {
  private waiting: Waiting[] = [];
  private isWriting = false;

  constructor(
    private readonly attempts: AttemptStore,
    private readonly deliveries: DeliveryStore,
    private readonly logger: Logger,
  ) {}

  /** Resolves when the outcome is stored, or when it could not be: then the lease ends by itself and the delivery is repeated. */
  write(written: Written): Promise<void> {
    return new Promise((done) => {
      this.waiting.push({ written, done });
      if (!this.isWriting) void this.writeGroups();
    });
  }

  private async writeGroups(): Promise<void> {
    this.isWriting = true;
    while (this.waiting.length > 0) {
      const group = this.waiting;
      this.waiting = [];
      try {
        await this.writeGroup(group.map(({ written }) => written));
      } catch (error) {
        const deliveries = group.length;
        this.logger.warn({ err: error, deliveries }, 'outcomes were lost, deliveries will repeat');
      }
      for (const { done } of group) done();
    }
    this.isWriting = false;
  }

  private async writeGroup(group: readonly Written[]): Promise<void> {
    await this.attempts.insert(group.flatMap(({ attempt }) => attempt ?? []));
    await this.deliveries.settle(group.map(({ settlement }) => settlement));
  }
}
