import type { CallContext } from '@billing/chassis/call-context';
import type { Peer } from '@billing/chassis/peer';
import type { Service } from '@billing/chassis/service';
import {
  type MeteringServiceServer,
  MeteringServiceService,
} from '@billing/proto/billing/metering/v1/metering';
import type { CatalogConfiguration } from './config';

/** Clients of the services that this one calls. */
export interface Peers {
  readonly metering: Peer<MeteringServiceServer>;
}

export function connectPeers(service: Service, config: CatalogConfiguration): Peers {
  return {
    metering: service.peer<MeteringServiceServer>(MeteringServiceService, {
      address: config.METERING_ADDRESS,
    }),
  };
}

/** Returns the ids of existing meters; makes no call without ids. */
export async function fetchKnownMeterIds(
  { metering }: Peers,
  ids: readonly string[],
  context: CallContext,
): Promise<ReadonlySet<string>> {
  const distinct = [...new Set(ids)].filter((id) => id !== '');
  if (distinct.length === 0) return new Set();
  const { meters } = await metering.getMeters({ ids: distinct.slice(0, idsMax) }, context);
  return new Set(meters.map(({ id }) => id));
}

// Limit of one call; a set with more meters is refused for its length.
const idsMax = 100;
