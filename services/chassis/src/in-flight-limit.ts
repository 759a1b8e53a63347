import { DomainError } from '@billing/kernel/domain-error';

/** Refuses calls beyond a number at a time before any work is done for them, so that a queue never outgrows its callers' patience. */
export class InFlightLimit {
  private running = 0;

  constructor(private readonly max: number) {}

  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.running >= this.max) {
      throw new DomainError('unavailable', 'OVERLOADED', 'Service unavailable');
    }
    this.running += 1;
    try {
      return await call();
    } finally {
      this.running -= 1;
    }
  }
}
