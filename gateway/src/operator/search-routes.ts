import { z } from 'zod';
import { everyScope } from '@billing/chassis/call-context';
import { ResultType, type SearchResult } from '@billing/proto/billing/search/v1/search';
import { resultTypes } from '@billing/proto/values/search';
import { scopeOf } from '../access/scope';
import { flag, readQuery } from '../api/input/input';
import { priceFilterShape, toProtoPriceFilter } from './price-filter';
import { ok } from '../http/answer';
import { type SearchedService, searchedServices } from '../peer/resource-search';
import { amountText } from '../text/english-amount-text';
import type { EnvironmentRoute } from './route/route';

/** Number of results of a search for one type, which fills a list to choose from. */
const resultsOfType = 100;

/** First path segment of the resources that a service finds, from which scopes are named. */
const segments: Readonly<Record<SearchedService, string>> = {
  customer: 'customers',
  checkout: 'invoices',
  subscription: 'subscriptions',
  catalog: 'products',
  discount: 'discounts',
  notifier: 'webhook-endpoints',
};

/** Type of the resources that a service finds. */
const types: Readonly<Record<SearchedService, ResultType>> = {
  customer: ResultType.RESULT_TYPE_CUSTOMER,
  checkout: ResultType.RESULT_TYPE_INVOICE,
  subscription: ResultType.RESULT_TYPE_SUBSCRIPTION,
  catalog: ResultType.RESULT_TYPE_PRODUCT,
  discount: ResultType.RESULT_TYPE_DISCOUNT,
  notifier: ResultType.RESULT_TYPE_WEBHOOK_ENDPOINT,
};

const Search = z.object({
  q: z.string().max(100),
  type: z.enum(Object.values(types).map((type) => resultTypes.nameOf(type))).optional(),
  active: flag.optional(),
  customerId: z.string().optional(),
  ...priceFilterShape,
});

/** Search of the resources of an environment that the operator may read. */
export const searchRoutes: readonly EnvironmentRoute[] = [
  {
    method: 'GET',
    path: '/search',
    isOfEnvironment: true,
    endsWithCaller: true,
    handle: async ({ query, context }, { peers }) => {
      const { q: text, type, active, customerId, ...terms } = readQuery(Search, { query });
      const services = readableServices(context.scopes).filter(
        (name) => type === undefined || types[name] === resultTypes.valueOf(type),
      );
      const limit = type === undefined ? undefined : resultsOfType;
      const request = { text, limit, active, customerId, price: toProtoPriceFilter(terms) };
      const { results, missing } = await peers.search.find(request, services, context);
      return ok({
        results: results.map(toJsonSearchResult),
        /** Types of resources whose service did not answer. */
        missing: missing.map((name) => resultTypes.nameOf(types[name])),
      });
    },
  },
];

/** Services whose resources a caller with these scopes may read. */
export function readableServices(scopes: readonly string[]): readonly SearchedService[] {
  if (scopes.includes(everyScope)) return searchedServices;
  return searchedServices.filter((name) =>
    scopes.includes(scopeOf({ method: 'GET', segment: segments[name] })),
  );
}

/** A found resource; `detail` joins what tells it apart, its status and its amount. */
export function toJsonSearchResult({ type, id, title, ...facts }: SearchResult) {
  const { detail, status, amount, currency } = facts;
  const money = amount === undefined ? '' : amountText(amount, currency);
  const details = [detail, statusText(status), money].filter((text) => text !== '');
  return { type: resultTypes.nameOf(type), id, title, detail: details.join(' · ') };
}

/** `PAST_DUE` is “Past due”. */
function statusText(status: string): string {
  const words = status.toLowerCase().replaceAll('_', ' ');
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
