import { RequestError } from './error';
/** Rate of a token bucket: its burst and its refill per second. */
export interface RatePolicy {
  readonly perSecond: number;
  readonly burst: number;
}

/** Remaining allowance of a caller. */
export interface Allowance {
  readonly isAllowed: boolean;
  /** Number of remaining calls. */
  readonly remaining: number;
  /** Seconds until the full allowance is available. */
  readonly secondsToFull: number;
  /** Seconds until the next call is allowed. */
  readonly secondsToNext: number;
}

/** State of a token bucket at its last use. */
interface Bucket {
  tokens: number;
  at: number;
}

// Each bucket takes about 150 bytes. An evicted bucket counts as full, so the least recently used
// one is evicted.
const bucketsMax = 20_000;

/**
 * Token buckets by name, in memory: each gateway applies its limits independently, without a store.
 */
export class RateLimit {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    readonly policy: RatePolicy,
    private readonly size = bucketsMax,
  ) {}

  /** Takes a token if one is left. */
  take(name: string, now: Date): Allowance {
    return this.touch(name, now, (tokens) => (tokens >= 1 ? tokens - 1 : tokens));
  }

  /** Returns the allowance without taking a token. */
  look(name: string, now: Date): Allowance {
    const bucket = this.buckets.get(name);
    const tokens = bucket === undefined ? this.policy.burst : this.refilled(bucket, now);
    return this.allowance(tokens, tokens);
  }

  /**
   * Takes a token even if none is left. Concurrent calls are charged afterwards, up to one burst
   * below zero.
   */
  charge(name: string, now: Date): void {
    this.touch(name, now, (tokens) => Math.max(tokens - 1, -this.policy.burst));
  }

  private touch(name: string, now: Date, spend: (tokens: number) => number): Allowance {
    const bucket = this.buckets.get(name) ?? { tokens: this.policy.burst, at: now.getTime() };
    const before = this.refilled(bucket, now);
    const after = spend(before);
    // Deleted and set again to keep the map in the order of last use.
    this.buckets.delete(name);
    this.buckets.set(name, { tokens: after, at: now.getTime() });
    if (this.buckets.size > this.size) this.forgetOldest();
    return this.allowance(before, after);
  }

  private refilled({ tokens, at }: Bucket, now: Date): number {
    // A clock that is set back refills nothing and takes nothing away.
    const elapsedMs = Math.max(0, now.getTime() - at);
    return Math.min(this.policy.burst, tokens + (elapsedMs / 1_000) * this.policy.perSecond);
  }

  private allowance(before: number, after: number): Allowance {
    const { perSecond, burst } = this.policy;
    return {
      isAllowed: before >= 1,
      remaining: Math.max(0, Math.floor(after)),
      secondsToFull: Math.ceil((burst - after) / perSecond),
      secondsToNext: Math.max(1, Math.ceil((1 - after) / perSecond)),
    };
  }

  private forgetOldest(): void {
    const [oldest] = this.buckets.keys();
    if (oldest !== undefined) this.buckets.delete(oldest);
  }
}

/**
 * Rate limit headers of draft-ietf-httpapi-ratelimit-headers-10. The policy is a quota `q` in a
 * window of `w` seconds: the burst of the bucket and the time to refill it. `r` is the remaining
 * quota and `t` the time until it is full.
 */
export function rateLimitHeaders(
  { perSecond, burst }: RatePolicy,
  { remaining, secondsToFull }: Allowance,
): { 'RateLimit-Policy': string; RateLimit: string } {
  const window = Math.ceil(burst / perSecond);
  return {
    'RateLimit-Policy': `"key";q=${String(burst)};w=${String(window)}`,
    RateLimit: `"key";r=${String(remaining)};t=${String(secondsToFull)}`,
  };
}

/** Error for a caller beyond its rate. */
export function tooManyRequests({ secondsToNext }: Allowance): RequestError {
  return new RequestError(429, 'too_many_requests', 'Too many requests', {
    'Retry-After': String(secondsToNext),
  });
}
