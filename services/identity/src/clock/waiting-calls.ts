import { DomainError } from '@billing/kernel/domain-error';

/** Bounds the calls that wait for the same resource; a call beyond the bound is refused. */
export class WaitingCalls {
  private readonly counts = new Map<string, number>();

  constructor(private readonly maxPerKey: number) {}

  async run<T>(key: string, call: () => Promise<T>): Promise<T> {
    const count = this.counts.get(key) ?? 0;
    if (count >= this.maxPerKey) {
      throw new DomainError('resource_exhausted', 'TOO_MANY_WAITING', 'Too many requests');
    }
    this.counts.set(key, count + 1);
    try {
      return await call();
    } finally {
      const left = (this.counts.get(key) ?? 1) - 1;
      if (left > 0) this.counts.set(key, left);
      else this.counts.delete(key);
    }
  }
}
