import { DomainError } from '@billing/kernel/domain-error';
import { answerMarginMs } from './answer-margin';
import type { Clock } from '../clock';

/**
 * Lets a request write only while enough of its deadline is left for the write and the answer: a
 * request that is answered 5xx for lack of time has stored nothing. After its first write, a
 * request may write at any time.
 */
export class StoringGate {
  private hasStored = false;

  constructor(
    private readonly deadline: Date,
    private readonly clock: Clock,
  ) {}

  /**
   * Called right before a write. Throws unavailable if the request has stored nothing yet and has
   * too little time left.
   */
  pass(): void {
    if (this.hasStored) return;
    const msLeft = this.deadline.getTime() - this.clock.now().getTime();
    if (msLeft < answerMarginMs) {
      throw new DomainError('unavailable', 'TOO_LATE_TO_STORE', 'Service unavailable');
    }
    this.hasStored = true;
  }
}
