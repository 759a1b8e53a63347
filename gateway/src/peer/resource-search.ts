import type { CallContext } from '@billing/chassis/call-context';
import { systemClock } from '@billing/chassis/clock';
import { DeadlineExceededError } from '@billing/chassis/grpc-status';
import { connectPeer, type Peer, type PeerOptions } from '@billing/chassis/peer';
import { DomainError } from '@billing/kernel/domain-error';
import {
  type SearchRequest,
  type SearchResponse,
  type SearchResult,
  type SearchServiceServer,
  SearchServiceService,
} from '@billing/proto/billing/search/v1/search';

/** Services that are searched, in the order of their results. */
export const searchedServices = [
  'customer',
  'checkout',
  'subscription',
  'catalog',
  'discount',
  'notifier',
] as const;

export type SearchedService = (typeof searchedServices)[number];

/** Results of a search, and the services that did not respond. */
export interface Found {
  readonly results: readonly SearchResult[];
  readonly missing: readonly SearchedService[];
}

const noFilter = {
  ...{ limit: undefined, active: undefined, customerId: undefined, price: undefined },
};
// Results appear as an operator types, so those of the others are not held up any longer.
const answerWithinMs = 2_000;

/** Options of the clients. */
export interface ResourceSearchOptions extends Pick<PeerOptions<never>, 'service' | 'security'> {
  readonly addresses: Readonly<Record<SearchedService, string>>;
}

/** Searches the resources of several services, with one call for each service. */
export class ResourceSearch {
  private readonly peers: Readonly<Record<SearchedService, Peer<SearchServiceServer>>>;

  constructor({ addresses, ...caller }: ResourceSearchOptions) {
    const peers = searchedServices.map((name) => {
      const options = { ...caller, address: addresses[name] };
      return [name, connectPeer<SearchServiceServer>(SearchServiceService, options)] as const;
    });
    this.peers = Object.fromEntries(peers) as Record<SearchedService, Peer<SearchServiceServer>>;
  }

  /** Results of the services, all asked in parallel; `limit` of each, or a few. */
  find(
    request: Pick<SearchRequest, 'text'> & Partial<SearchRequest>,
    services: readonly SearchedService[],
    context: CallContext,
  ): Promise<Found> {
    const soon = systemClock.now().getTime() + answerWithinMs;
    const deadline = new Date(Math.min(soon, context.deadline.getTime()));
    return searchEach(services, (name) =>
      this.peers[name].search({ ...noFilter, ...request }, { ...context, deadline }),
    );
  }

  close(): void {
    for (const peer of Object.values(this.peers)) peer.close();
  }
}

/**
 * Joins the results of services in their order. One that is unavailable or too slow is named; the
 * search fails if none answers.
 */
export async function searchEach(
  services: readonly SearchedService[],
  ask: (name: SearchedService) => Promise<SearchResponse>,
): Promise<Found> {
  const answers = await Promise.all(
    services.map((name) =>
      ask(name).then(
        ({ results }) => ({ name, results, error: undefined }),
        (error: unknown) => ({ name, results: [], error }),
      ),
    ),
  );
  const failed = answers.filter(({ error }) => error !== undefined);
  const lasting = failed.find(({ error }) => !isPassing(error));
  const reported = lasting ?? (failed.length === services.length ? failed[0] : undefined);
  if (reported !== undefined) throw reported.error;
  return {
    results: answers.flatMap(({ results }) => results),
    missing: failed.map(({ name }) => name),
  };
}

function isPassing(error: unknown): boolean {
  if (error instanceof DeadlineExceededError) return true;
  return (
    error instanceof DomainError &&
    (error.kind === 'unavailable' || error.kind === 'resource_exhausted')
  );
}
