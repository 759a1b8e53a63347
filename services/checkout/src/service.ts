import type { Tenant } from '@billing/chassis/call-context';
import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
import { CollectionWorker } from './collection-worker';
import { invoiceCommands } from './commands';
import type { CheckoutConfiguration } from './config';
import { hostedPageRpc } from './hosted-page-rpc';
import { HostedPageStore } from './hosted-page-store';
import { InvoiceNumberStore } from './invoice-number-store';
import { noProvider } from './no-provider';
import {
  payerDefinition,
  paymentMethodDefinition,
  PaymentMethodStore,
} from './payment-method-store';
import type { PaymentProvider } from './payment-provider';
import { connectPeers } from './peers';
import { checkoutRpc } from './rpc';
import { SandboxProvider } from './sandbox-provider';
import { ensureSandboxIndexes, SandboxStore } from './sandbox-store';
import { invoiceDefinition } from './store';

/** Starts checkout. */
export async function start(
  config: CheckoutConfiguration,
  overrides: ServiceOverrides = {},
): Promise<RunningService> {
  const service = await Service.open('checkout', config, overrides);
  const { db, clock, logger, metrics } = service;
  const invoices = service.aggregates(invoiceDefinition);
  const methods = new PaymentMethodStore(
    service.aggregates(paymentMethodDefinition),
    service.aggregates(payerDefinition),
  );
  const numbers = new InvoiceNumberStore(db);
  const pages = new HostedPageStore(db, {
    url: config.HOSTED_PAGE_URL,
    secret: config.HOSTED_PAGE_SECRET,
  });
  service.ensureIndexes(() => numbers.ensureIndexes());
  service.ensureIndexes(() => ensureSandboxIndexes(db));

  // No provider is configured for live charges; sandboxes have one of their own.
  const providerOf = ({ live, environmentId }: Tenant): PaymentProvider =>
    live ? noProvider : new SandboxProvider(new SandboxStore(db, environmentId), environmentId);
  const worker = new CollectionWorker({
    invoices,
    numbers,
    methods,
    providerOf,
    clock,
    metrics,
  });
  const peers = connectPeers(service, config);
  invoices.handle({
    commands: invoiceCommands({ worker, peers, logger }),
    wake: (id, context) => worker.collectDue(id, context),
    recover: (id, context) => worker.resume(id, context),
  });
  return service.serve([checkoutRpc({ invoices, worker }), hostedPageRpc(pages)]);
}
