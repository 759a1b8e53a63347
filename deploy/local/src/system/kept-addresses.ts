import { join } from 'node:path';
import { freePort } from '@billing/chassis/listen-address';
import { keepAddress } from '../process/kept-address';
import { LOOPBACK, listenAddress, socketOf, type SystemSite } from './service-environment';
import { type ServiceName, serviceNames } from './services';

/** Addresses of all services that accept connections while the services behind them restart. */
export interface KeptAddresses {
  /** Variables by which a service listens at its own address, behind the one that is kept. */
  environmentOf(name: ServiceName): NodeJS.ProcessEnv;
  close(): Promise<void>;
}

export async function keepAddresses(site: SystemSite): Promise<KeptAddresses> {
  const port = await freePort();
  const ownSocketOf = (name: ServiceName) => join(site.runDir, `${name}-own.sock`);
  const keepers = await Promise.all(
    serviceNames.map((name) =>
      name === 'gateway'
        ? keepAddress({ host: site.host ?? LOOPBACK, port: site.port }, { host: LOOPBACK, port })
        : keepAddress({ path: socketOf(name, site) }, { path: ownSocketOf(name) }),
    ),
  );
  return {
    environmentOf: (name) =>
      name === 'gateway'
        ? { HTTP_LISTEN: listenAddress({ port }) }
        : { GRPC_LISTEN: `unix:${ownSocketOf(name)}` },
    close: async () => {
      await Promise.all(keepers.map((keeper) => keeper.close()));
    },
  };
}
