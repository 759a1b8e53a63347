import type { Logger } from '@billing/chassis/logging';
import type { Attempt, AttemptStore } from './attempt-store';
import type { DeliveryStore, Settlement } from './delivery-store';
import { Grouping } from './grouping';

/** What is written after a delivery was tried, or given back untried. */
export interface DeliveryOutcome {
  readonly attempt: Attempt | undefined;
  readonly settlement: Settlement;
}

/** Writes what came of attempts, in groups. */
export class OutcomeStore {
  private readonly writes: Grouping<DeliveryOutcome, undefined>;

  constructor(
    attempts: AttemptStore,
    deliveries: DeliveryStore,
    private readonly logger: Logger,
  ) {
    this.writes = new Grouping<DeliveryOutcome, undefined>(async (outcomes) => {
      await attempts.insert(outcomes.flatMap(({ attempt }) => attempt ?? []));
      await deliveries.settle(outcomes.map(({ settlement }) => settlement));
      return [];
    });
  }

  /** Resolves when the outcome is stored, or when it could not be: then the lease ends by itself and the delivery is repeated. */
  async write(outcome: DeliveryOutcome): Promise<void> {
    try {
      await this.writes.add(outcome);
    } catch (error) {
      const { _id: deliveryId } = outcome.settlement.delivery;
      this.logger.warn({ err: error, deliveryId }, 'outcome was lost, delivery will repeat');
    }
  }
}
