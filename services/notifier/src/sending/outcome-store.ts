import { Batcher, succeeded } from '@billing/chassis/batcher';
import { sleep } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { Attempt, AttemptStore } from '../delivery/attempt-store';
import type { DeliveryStore, Settlement } from '../delivery/delivery-store';
import type { EndpointHealthStore } from '../endpoint/health-store';

/** The result of an attempt, or of a claim released without one. */
export interface DeliveryOutcome {
  readonly attempt: Attempt | undefined;
  readonly settlement: Settlement;
}

export interface OutcomeStoreDependencies {
  readonly attempts: AttemptStore;
  readonly deliveries: DeliveryStore;
  readonly health: EndpointHealthStore;
  readonly logger: Logger;
  /** How long a batch waits for more outcomes unless it is full before. */
  readonly batchDelayMs: number;
}

const batchMax = 100;

/** Writes the results of attempts in batches. */
export class OutcomeStore {
  private readonly writes: Batcher<DeliveryOutcome, undefined>;
  private readonly logger: Logger;

  constructor({ attempts, deliveries, health, logger, batchDelayMs }: OutcomeStoreDependencies) {
    this.logger = logger;
    const flush = async (outcomes: readonly DeliveryOutcome[]) => {
      const delivered = outcomes.flatMap(({ settlement: { status, delivery } }) =>
        status === 'DELIVERED' ? [delivery] : [],
      );
      // Precedes the settlement of deliveries: after a crash in between, both are repeated.
      await Promise.all([
        attempts.insert(outcomes.flatMap(({ attempt }) => attempt ?? [])),
        health.recordSuccesses(delivered),
      ]);
      await deliveries.settle(outcomes.map(({ settlement }) => settlement));
      return succeeded(outcomes.map(() => undefined));
    };
    const delay = (full: AbortSignal) => sleep(batchDelayMs, full);
    this.writes = new Batcher({ batchMax, flushesMax: 1, delay, flush });
  }

  /**
   * Resolves once the outcome is stored or the write has failed; after a failure the lease expires
   * and the delivery is repeated.
   */
  async write(outcome: DeliveryOutcome): Promise<void> {
    try {
      await this.writes.run(outcome);
    } catch (error) {
      const { _id: deliveryId } = outcome.settlement.delivery;
      this.logger.warn(
        { err: error, deliveryId },
        'delivery outcome not stored, retrying after its lease expires',
      );
    }
  }
}
