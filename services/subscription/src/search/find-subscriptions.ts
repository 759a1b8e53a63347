import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import {
  eachOnce,
  findByIdBeginning,
  findMatching,
  resultsMax,
  type SearchPlace,
} from '@billing/chassis/search-index';
import type { SearchSource } from '@billing/chassis/search-rpc';
import { isIdBeginning, queryWordsOf } from '@billing/kernel/search-words';
import type { Peers } from '../peer/peers';
import type { SubscriptionRecord } from '../subscription/tombstone';
import { type Division, divisionsOf } from './divisions';

/** What a part of a text has found, by id: titles. Undefined: the part has no words. */
type Found = ReadonlyMap<string, string> | undefined;

/**
 * Finds subscriptions by the beginnings of their ids, and by their customers and products as the
 * owners of these find them. Subscriptions are written often, so they have no index of their own
 * for it, and they follow a changed name at once.
 */
export function subscriptionSearch(
  records: AggregateCollection<SubscriptionRecord>,
  { search }: Pick<Peers, 'search'>,
): SearchSource<SubscriptionRecord> {
  return {
    find: async (text, context, range) => {
      const at = { environmentId: context.tenant.environmentId, ...range };
      const words = queryWordsOf(text);
      const [word] = words;
      if (word === undefined) return [];
      if (words.length === 1 && isIdBeginning(word)) return findByIdBeginning(records, word, at);
      const customersOf = foundOnce((part) => findIds(search.customers, part, context));
      const productsOf = foundOnce((part) => findIds(search.products, part, context));
      const pages = await Promise.all(
        divisionsOf(words).map((division) =>
          findDivided(records, at, { division, customersOf, productsOf }),
        ),
      );
      return eachOnce(pages.flat(), range.limit);
    },
  };
}

async function findDivided(
  records: AggregateCollection<SubscriptionRecord>,
  at: SearchPlace,
  {
    division,
    customersOf,
    productsOf,
  }: {
    division: Division;
    customersOf: (part: readonly string[]) => Promise<Found>;
    productsOf: (part: readonly string[]) => Promise<Found>;
  },
) {
  const [customers, products] = await Promise.all([
    customersOf(division.customer),
    productsOf(division.product),
  ]);
  if (customers?.size === 0 || products?.size === 0) return [];
  const ids = [...(products?.keys() ?? [])];
  const conditions = [
    ...(customers === undefined ? [] : [{ 'customer.id': { $in: [...customers.keys()] } }]),
    // Documents of earlier releases have one product, not items.
    ...(products === undefined
      ? []
      : [{ $or: [{ 'items.productId': { $in: ids } }, { productId: { $in: ids } }] }]),
  ];
  const found = await findMatching(records, {
    ...at,
    filter: { ...at.filter, $and: conditions },
  });
  return found.map((stored) => {
    const { state } = stored;
    const name = state.isTombstone ? undefined : customers?.get(state.customer.id);
    if (state.isTombstone || name === undefined) return stored;
    return { ...stored, state: { ...state, customer: { ...state.customer, name } } };
  });
}

/** Asks once for each part of a text. */
function foundOnce(
  find: (text: string) => Promise<Found>,
): (part: readonly string[]) => Promise<Found> {
  const asked = new Map<string, Promise<Found>>();
  return (part) => {
    const text = part.join(' ');
    if (text === '') return Promise.resolve(undefined);
    const answer = asked.get(text) ?? find(text);
    asked.set(text, answer);
    return answer;
  };
}

async function findIds(
  peer: Peers['search']['customers'],
  text: string,
  context: CallContext,
): Promise<Found> {
  const { results } = await peer.search({ text, limit: resultsMax }, context);
  return new Map(results.map(({ id, title }) => [id, title]));
}
