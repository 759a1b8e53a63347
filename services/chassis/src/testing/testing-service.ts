import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';
import type { ServiceConfiguration } from '../service/configuration';
import { connectPeer, type Peer } from '../grpc/peer';
import type { RunningService } from '../service/service';
import { dropTestDatabase, dropTestStream } from './testing';

/** A service under test: contract, configuration and start. */
export interface ServiceUnderTest<C extends ServiceConfiguration> {
  readonly definition: ServiceDefinition;
  readonly configuration: C;
  readonly start: (configuration: C) => Promise<RunningService>;
}

/**
 * Runs a service from before a file's first test until after its last, and returns a peer that
 * calls it.
 */
export function callService<
  S extends UntypedServiceImplementation,
  C extends ServiceConfiguration = ServiceConfiguration,
>(
  { definition, configuration, start }: ServiceUnderTest<C>,
  given: (peer: Peer<S>, service: RunningService) => void,
): void {
  let service: RunningService;
  let peer: Peer<S>;

  beforeAll(async () => {
    service = await start(configuration);
    peer = connectPeer<S>(definition, { address: service.address, service: 'test' });
    given(peer, service);
  });

  afterAll(async () => {
    peer.close();
    await service.stop();
    await dropTestDatabase(configuration);
    await dropTestStream(configuration);
  });
}
