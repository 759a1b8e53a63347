import { reassertChanged } from '@billing/chassis/changed-aggregates';
import { oldSecretsOf, pageSecrets } from '@billing/chassis/configuration';
import { exportRpc, oneEach, scanAggregates } from '@billing/chassis/export-rpc';
import { searchRpc } from '@billing/chassis/search-rpc';
import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
import { Customer } from '@billing/proto/billing/customer/v1/customer';
import { Resource } from '@billing/proto/billing/export/v1/export';
import { ResultType } from '@billing/proto/billing/search/v1/search';
import type { CustomerConfiguration } from './config';
import { CustomerNameStore } from './customer-name-store';
import { Customers } from './customer-store';
import { ErasureWorker } from './erasure-worker';
import { announcedCustomers } from './events';
import { connectPeers, type Peers } from './peers';
import { portalRpc } from './portal-rpc';
import { PortalSessionStore } from './portal-session-store';
import { portalSettingsDefinition, PortalSettingsStore } from './portal-settings-store';
import { PortalSignInStore } from './portal-sign-in-store';
import { customerRpc, toProtoCustomer } from './rpc';

const cleanupIntervalMs = 60 * 60 * 1_000;
const erasureIntervalMs = 5_000;

/** Starts the customer service: customers and portal sessions over gRPC. */
export async function start(
  config: CustomerConfiguration,
  overrides: ServiceOverrides = {},
): Promise<RunningService> {
  const service = await Service.open('customer', config, overrides);
  const records = service.aggregates(announcedCustomers);
  const customers = new Customers(records);
  const sessions = new PortalSessionStore(service.db);
  service.ensureIndexes(() => sessions.ensureIndexes());
  const settings = new PortalSettingsStore(service.aggregates(portalSettingsDefinition));
  const signIns = new PortalSignInStore(service.db);
  service.ensureIndexes(() => signIns.ensureIndexes());
  const { clock } = service;
  service.every({
    name: 'delete expired portal sessions',
    everyMs: cleanupIntervalMs,
    run: async () => {
      await sessions.deleteExpired(clock.now());
      await signIns.deleteExpired(clock.now());
    },
    onOneReplica: true,
  });
  service.dependOnSecrets(pageSecrets(config));
  const site = {
    url: config.HOSTED_PAGE_URL,
    secret: config.HOSTED_PAGE_SECRET,
    oldSecrets: oldSecretsOf(config),
  };
  const peers = connectPeers(service, config);
  continueErasures(service, { customers, sessions, peers });
  const names = new CustomerNameStore(service.db);
  return service.serve([
    customerRpc({ customers, names, peers, clock }),
    searchRpc(records.searchIndex, {
      type: ResultType.RESULT_TYPE_CUSTOMER,
      describe: ({ name, email }) =>
        name === null ? { title: email } : { title: name, detail: email },
    }),
    exportRpc(service, {
      [Resource.RESOURCE_CUSTOMER]: scanAggregates(records, {
        messagesOf: oneEach(toProtoCustomer),
        encoder: Customer,
      }),
    }),
    portalRpc({ customers, sessions, settings, signIns, site, clock }),
  ]);
}

function continueErasures(
  service: Service,
  erased: {
    readonly customers: Customers;
    readonly sessions: PortalSessionStore;
    readonly peers: Peers;
  },
): void {
  const { clock } = service;
  const isDeleted = (environmentId: string) => service.deletion.isDeleted(environmentId);
  const worker = new ErasureWorker({ ...erased, service, clock, isDeleted });
  service.ensureIndexes(() => worker.ensureIndexes());
  const { records } = erased.customers;
  records.handle({ commands: worker.commands() });
  service.recoverBy({
    reassert: (recovery) =>
      reassertChanged(records, recovery, worker.reassert.bind(worker), service),
  });
  service.every({
    name: 'continue erasures',
    everyMs: erasureIntervalMs,
    run: (signal) => worker.sweep(signal),
    onOneReplica: true,
  });
}
