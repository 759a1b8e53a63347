import type { Page, Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { type Transition, only } from '@billing/kernel/transition';
import { type Customer, requireKnown } from './customer';

type Within = Pick<CallContext, 'tenant' | 'now' | 'storing'>;

/** Customers as callers see them: a deleted one is unknown. */
export class Customers {
  constructor(readonly records: AggregateCollection<Customer>) {}

  async insert(customer: Customer, context: Within): Promise<Stored<Customer>> {
    return (await this.records.within(context).insert(only(customer))).stored;
  }

  /** Throws not_found for an unknown id. */
  async get(id: string, context: Within): Promise<Stored<Customer>> {
    const stored = await this.records.within(context).get(id);
    requireKnown(stored.state);
    return stored;
  }

  /** Finds those of the ids that exist, in any order. */
  async findAll(ids: readonly string[], context: Within): Promise<Stored<Customer>[]> {
    const found = await this.records.within(context).findAll(ids);
    return found.filter(({ state }) => state.erasure === null);
  }

  /** One page, newest first unless `oldestFirst`, and the exact count. */
  list(
    listed: {
      filter: Readonly<Record<string, unknown>>;
      page: number;
      perPage: number;
      oldestFirst?: boolean;
    },
    context: Within,
  ): Promise<Page<Customer>> {
    return this.records.within(context).list(listed);
  }

  /** Changes a customer by a rule; throws not_found for an unknown id. */
  change(
    id: string,
    rule: (customer: Customer) => Customer,
    context: Within,
    expected: { readonly expectedVersion?: number } = {},
  ): Promise<Stored<Customer>> {
    const known = (customer: Customer) => {
      requireKnown(customer);
      return only(rule(customer));
    };
    return this.records.within(context).mutate(id, known, expected);
  }

  /** Releases the external id of a deleted customer, in case the deletion has stopped before. */
  async releaseExternalId(
    { id, externalId }: { readonly id: string; readonly externalId?: string | undefined },
    context: Within,
  ): Promise<void> {
    const { state } = await this.records.within(context).get(id);
    const given = { ...state, externalId: externalId ?? null };
    await this.records.releaseNaturalKey(given, context.tenant);
  }

  /** Decides about a customer, also a deleted one. */
  decide(
    id: string,
    decision: (customer: Customer) => Transition<Customer>,
    context: Within,
  ): Promise<Stored<Customer>> {
    return this.records.within(context).mutate(id, decision);
  }
}
