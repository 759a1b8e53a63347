import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
import { providerWaitMs, withinTime } from './bounded-worker';
import { invoiceCommands, payerCommands } from './commands';
import type { CheckoutConfiguration } from './config';
import { configuredProviders } from './configured-provider';
import { HostedPageStore } from './hosted-page-store';
import { InvoiceNumberStore } from './invoice-number-store';
import { invoiceWorkers } from './invoice-workers';
import {
  payerDefinition,
  paymentMethodDefinition,
  PaymentMethodStore,
} from './payment-method-store';
import { paymentMethodRpc } from './payment-method-rpc';
import { paymentRpc } from './payment-rpc';
import { connectPeers } from './peers';
import { providerAlarm } from './changed-provider';
import { reportRpc } from './report-rpc';
import { ReportStore } from './report-store';
import { checkoutRpc } from './rpc';
import { openSessions } from './session-service';
import { invoiceDefinition } from './store';

const totalsEveryMs = 60_000;

/** Starts checkout. */
export async function start(
  config: CheckoutConfiguration,
  overrides: ServiceOverrides = {},
): Promise<RunningService> {
  const service = await Service.open('checkout', config, overrides);
  const { db, clock, logger, metrics } = service;
  const invoices = service.aggregates(invoiceDefinition);
  const payers = service.aggregates(payerDefinition);
  const methods = new PaymentMethodStore(service.aggregates(paymentMethodDefinition), payers);
  const numbers = new InvoiceNumberStore(db);
  const pages = new HostedPageStore(db, {
    url: config.HOSTED_PAGE_URL,
    secret: config.HOSTED_PAGE_SECRET,
  });
  service.ensureIndexes(() => numbers.ensureIndexes());
  service.ensureIndexes(() => pages.ensureIndexes());
  const { providerOf, events } = configuredProviders(service, config);
  const {
    collection: worker,
    keeper,
    payments,
    sessionInvoices,
  } = invoiceWorkers({
    invoices,
    numbers,
    methods,
    providerOf,
    clock,
    metrics,
    retryDays: config.DUNNING_RETRY_DAYS,
    onProviderChanged: providerAlarm({ logger, clock }),
    onUnknown: (error, invoiceId) => {
      logger.warn({ err: error, invoiceId }, 'outcome of a charge is unknown, will ask again');
    },
  });
  const peers = connectPeers(service, config);
  const {
    sessions: sessionRecords,
    worker: sessions,
    rpcs: sessionRpcs,
  } = openSessions(service, {
    invoices,
    sessionInvoices,
    methods,
    pages,
    peers,
  });
  invoices.handle({
    commands: invoiceCommands({ invoices, worker, keeper, sessions, pages, peers, logger }),
    wake: (id, context) => withinTime(providerWaitMs, worker.collectDue(id, context)),
    recover: async (id, context) => {
      await withinTime(providerWaitMs, worker.resume(id, context));
    },
  });
  payers.handle({ commands: payerCommands({ payers, worker }) });
  const reports = new ReportStore(service, { sessions: sessionRecords, invoices });
  service.every({
    name: 'report totals',
    everyMs: totalsEveryMs,
    run: (signal) => reports.keepUp(signal),
  });
  return service.serve([
    checkoutRpc({ invoices, worker, keeper, pages }),
    paymentRpc({ invoices, payments, methods, keeper, pages, events, clock, logger }),
    paymentMethodRpc({ methods, peers, clock }),
    reportRpc({ reports }),
    ...sessionRpcs,
  ]);
}
