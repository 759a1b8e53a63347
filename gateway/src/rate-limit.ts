import { RequestError } from './http-error';
/** How many calls a caller may make: so many at once, and then so many a second. */
export interface RatePolicy {
  readonly perSecond: number;
  readonly burst: number;
}

/** What is left of a caller's allowance after a call. */
export interface Allowance {
  readonly isAllowed: boolean;
  /** Whole calls that are left now. */
  readonly remaining: number;
  /** Until all of them are left again. */
  readonly secondsToFull: number;
  /** Until one more is allowed. */
  readonly secondsToNext: number;
}

/** A token bucket as it was when it was last touched. */
interface Bucket {
  tokens: number;
  at: number;
}

// About 150 bytes each. A forgotten bucket is a full one, so the one touched longest ago is the one
// to forget.
const bucketsMax = 20_000;

/**
 * Token buckets by name, in this process's memory: each gateway has limits of its own, and none
 * needs a store for them.
 */
export class RateLimit {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    readonly policy: RatePolicy,
    private readonly size = bucketsMax,
  ) {}

  /** Takes one call off the allowance, if there is one left. */
  take(name: string, now: Date): Allowance {
    return this.touch(name, now, (tokens) => (tokens >= 1 ? tokens - 1 : tokens));
  }

  /** What is left, taking nothing. */
  look(name: string, now: Date): Allowance {
    const bucket = this.buckets.get(name);
    const tokens = bucket === undefined ? this.policy.burst : this.refilled(bucket, now);
    return this.allowance(tokens, tokens);
  }

  /**
   * Takes one whether there is one or not: many that ran side by side are paid for afterwards, at
   * most a whole burst of them.
   */
  charge(name: string, now: Date): void {
    this.touch(name, now, (tokens) => Math.max(tokens - 1, -this.policy.burst));
  }

  private touch(name: string, now: Date, spend: (tokens: number) => number): Allowance {
    const bucket = this.buckets.get(name) ?? { tokens: this.policy.burst, at: now.getTime() };
    const before = this.refilled(bucket, now);
    const after = spend(before);
    // Set anew, so that the map stays in the order of the last touch.
    this.buckets.delete(name);
    this.buckets.set(name, { tokens: after, at: now.getTime() });
    if (this.buckets.size > this.size) this.forgetOldest();
    return this.allowance(before, after);
  }

  private refilled({ tokens, at }: Bucket, now: Date): number {
    // A clock that is set back refills nothing, rather than taking away.
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
 * What a caller is told of its allowance, in the form of draft-ietf-httpapi-ratelimit-headers-10:
 * the policy is a quota `q` in a window of `w` seconds, which for a token bucket is the burst and
 * the time that refills it; `r` is what remains, `t` when all of it is back.
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

/** The answer to a caller who asks too often. */
export function tooManyRequests({ secondsToNext }: Allowance): RequestError {
  return new RequestError(429, 'too_many_requests', 'Too many requests', {
    'Retry-After': String(secondsToNext),
  });
}
