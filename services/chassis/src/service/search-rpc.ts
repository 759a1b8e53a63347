import { refuseProblems } from '@billing/kernel/input-problems';
import {
  type ResultType,
  type SearchRequest,
  type SearchResult,
  type SearchServiceServer,
  SearchServiceService,
} from '@billing/proto/billing/search/v1/search';
import type { Stored } from '../aggregates/aggregate';
import { resultsMax, type SearchRange, usualResults } from '../aggregates/search-index';
import type { CallContext } from '../grpc/call-context';
import { searchCallers } from '../grpc/callers';
import { type RpcDependencies, type RpcService, rpcService } from '../grpc/rpc';

const textLengthMax = 100;

/** Finds aggregates by a text, the best match first. */
export interface SearchSource<S> {
  readonly find: (text: string, context: CallContext, range: SearchRange) => Promise<Stored<S>[]>;
}

/** How a service filters and shows the aggregates that it finds. */
export interface FoundBy<S> {
  readonly type: ResultType;
  /** Condition on the documents, as of a list. Absent: the service has no filter. */
  readonly filterOf?: (
    request: Pick<SearchRequest, 'active' | 'customerId' | 'price'>,
  ) => Readonly<Record<string, unknown>>;
  readonly describe: (
    state: S,
  ) => Pick<SearchResult, 'title'> &
    Partial<Pick<SearchResult, 'detail' | 'status' | 'amount' | 'currency'>>;
}

/** The call by which the dashboard searches the aggregates of a service. */
export function searchRpc<S extends { readonly id: string }>(
  source: SearchSource<S>,
  { type, filterOf = () => ({}), describe }: FoundBy<S>,
): (dependencies: RpcDependencies) => RpcService {
  const toResult = ({ state }: Stored<S>): SearchResult => ({
    detail: '',
    status: '',
    amount: undefined,
    currency: '',
    ...describe(state),
    type,
    id: state.id,
  });
  return rpcService<SearchServiceServer>(
    SearchServiceService,
    {
      search: async ({ text, limit = usualResults, ...filters }, context) => {
        const isTooLong = text.length > textLengthMax;
        refuseProblems({
          q: isTooLong ? [`Must be at most ${String(textLengthMax)} characters`] : [],
          limit: limit < 1 || limit > resultsMax ? [`Must be from 1 to ${String(resultsMax)}`] : [],
        });
        const found = await source.find(text, context, { limit, filter: filterOf(filters) });
        return { results: found.map(toResult) };
      },
    },
    { callers: searchCallers },
  );
}
