import type { CallContext } from '@billing/chassis/call-context';
import { connectPeer, type Peer, type PeerOptions } from '@billing/chassis/peer';
import {
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

  /** Results of the services, all asked in parallel. */
  async find(
    text: string,
    services: readonly SearchedService[],
    context: CallContext,
  ): Promise<SearchResult[]> {
    const answers = await Promise.all(
      services.map((name) => this.peers[name].search({ text }, context)),
    );
    return answers.flatMap(({ results }) => results);
  }

  close(): void {
    for (const peer of Object.values(this.peers)) peer.close();
  }
}
