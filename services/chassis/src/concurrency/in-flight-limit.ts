import { DomainError } from '@billing/kernel/domain-error';

/**
 * Limits concurrent calls, separately for each key. Refuses calls over the maximum before any work
 * is done for them, instead of queueing them, so that calls never wait longer than their callers
 * do.
 */
export class InFlightLimit {
  private readonly running = new Map<string, number>();

  constructor(
    private readonly max: number,
    private readonly refusal: () => Error = overloaded,
  ) {}

  async run<T>(call: () => Promise<T>, key = ''): Promise<T> {
    const count = this.running.get(key) ?? 0;
    if (count >= this.max) throw this.refusal();
    this.running.set(key, count + 1);
    try {
      return await call();
    } finally {
      const left = (this.running.get(key) ?? 1) - 1;
      if (left > 0) this.running.set(key, left);
      else this.running.delete(key);
    }
  }
}

function overloaded(): DomainError {
  return new DomainError('unavailable', 'OVERLOADED', 'Service unavailable');
}
