import { createHmac } from 'node:crypto';
import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId, randomSecret } from '@billing/chassis/ids';
import type { Transition } from '@billing/kernel/transition';
import { findAnywhere } from './operator-store';

const tokenBytes = 32;
const tokenPattern = /^[\w-]{43}$/;

/** Seed of the token of a call that an operator may retry; undefined without a key. */
export function tokenSeed(operatorId: string, retryKey: string | undefined): string | undefined {
  return retryKey === undefined ? undefined : JSON.stringify([operatorId, retryKey]);
}

/**
 * Aggregates that are opened by a random token. The token is in one answer and never stored: the id
 * derives from its HMAC, so that the primary key finds it, and a reader of the database cannot
 * forge one.
 */
export class TokenStore<S extends { readonly id: string }> {
  constructor(
    private readonly collection: AggregateCollection<S>,
    private readonly options: {
      readonly clock: Clock;
      /**
       * The newest first: it creates ids, and the others still find aggregates created with them.
       */
      readonly peppers: readonly string[];
    },
  ) {}

  /**
   * Creates an aggregate of the tenant's environment, in real time. With a seed the token derives
   * from it: a retry returns the first aggregate and its token again.
   */
  async issue(
    { tenant, storing }: Pick<CallContext, 'tenant' | 'storing'>,
    make: (id: string, now: Date) => Transition<S>,
    seed?: string,
  ): Promise<{ token: string; stored: Stored<S> }> {
    const token =
      seed === undefined ? randomSecret(tokenBytes).toString('base64url') : this.tokenOf(seed);
    const now = this.options.clock.now();
    const { stored } = await this.collection
      .within({ tenant, now, storing })
      .insert(make(this.idOf(token), now));
    return { token, stored };
  }

  /** Finds the aggregate of a token, in any environment. */
  async find(token: string): Promise<Stored<S> | undefined> {
    if (!tokenPattern.test(token)) return undefined;
    for (const pepper of this.options.peppers) {
      const found = await findAnywhere(this.collection, this.idOf(token, pepper));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Changes an aggregate that was found, at real time. */
  async mutate(
    { state: { id }, tenant }: Pick<Stored<S>, 'state' | 'tenant'>,
    decide: (state: S, now: Date) => Transition<S>,
    storing?: CallContext['storing'],
  ): Promise<Stored<S>> {
    const now = this.options.clock.now();
    return this.collection.within({ tenant, now, storing }).mutate(id, decide);
  }

  // Only who has the pepper can derive it.
  private tokenOf(seed: string): string {
    const { aggregate } = this.collection.definition;
    const hash = createHmac('sha256', this.options.peppers[0] ?? '');
    return hash.update(`${aggregate} token ${seed}`).digest('base64url');
  }

  private idOf(token: string, pepper = this.options.peppers[0] ?? ''): string {
    const { aggregate } = this.collection.definition;
    const hash = createHmac('sha256', pepper).update(`${aggregate} ${token}`);
    return derivedId(aggregate, hash.digest('hex'));
  }
}
