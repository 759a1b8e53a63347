import { DomainError } from '@billing/kernel/domain-error';

/**
 * Refuses calls over a maximum before any work is done for them, so that calls never wait longer
 * than their callers do.
 */
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
