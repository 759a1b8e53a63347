import { oldSecretsOf, pageSecrets } from '@billing/chassis/configuration';
import { erasureRpc } from '@billing/chassis/erasure-rpc';
import { exportRpc } from '@billing/chassis/export-rpc';
import { searchRpc } from '@billing/chassis/search-rpc';
import { type RunningService, Service, type ServiceOverrides } from '@billing/chassis/service';
import { withinTime } from '@billing/chassis/within-time';
import { providerWaitMs } from './provider/wait-for-effect';
import type { CollectionWorker } from './collection/collection-worker';
import {
  type InvoiceCommandDependencies,
  invoiceCommands,
  payerCommands,
  unskippableInvoiceCommands,
} from './commands';
import type { CheckoutConfiguration } from './config';
import { balanceRpc } from './balance/balance-rpc';
import { balanceDefinition, BalanceStore } from './balance/balance-store';
import { BalanceEntryStore } from './balance/entry-store';
import { openCredits } from './credit-note/service';
import { configuredProviders } from './provider/configured-provider';
import { exportedResources } from './exported-resources';
import { type ErasureDependencies, erasingPayers } from './erasure/erase-customer';
import { type ObligationDependencies, obligationRpc } from './erasure/obligation-rpc';
import { HostedPageStore } from './hosted-page/store';
import { InvoiceNumberStore } from './invoice/number/invoice-number-store';
import { invoiceWorkers } from './collection/workers';
import {
  payerDefinition,
  paymentMethodDefinition,
  PaymentMethodStore,
} from './payment-method/store';
import { ExpiryWarningWorker } from './payment-method/expiry-warning-worker';
import { ExpiringCardStore } from './payment-method/expiring-card-store';
import { paymentMethodRpc } from './payment-method/rpc';
import {
  UnknownExpiryStore,
  type UnknownExpiryDependencies,
} from './payment-method/unknown-expiry-store';
import type { PaymentMethodWorker } from './payment-method/payment-method-worker';
import { paymentRpc } from './collection/payment-rpc';
import { customerDeletion } from './peer/customer';
import { connectPeers } from './peer/peers';
import { notChargedAlarm, providerAlarm } from './provider/alarms';
import { ProviderReportStore } from './provider/report-store';
import { ProviderWaitStore } from './collection/provider-wait-store';
import { RefusedAttemptStore } from './collection/refused-attempt-store';
import { recoverCheckout } from './recovery/recover-checkout';
import { DueReservations, openReservations } from './reservation/reservation-store';
import { type ReservationDependencies, ReservationWorker } from './reservation/reservation-worker';
import { reportRpc } from './report/rpc';
import { ReportStore } from './report/store';
import { checkoutRpc } from './rpc';
import { brandingRpc } from './seller/branding-rpc';
import { brandingDefinition, BrandingStore } from './seller/branding-store';
import { billingSettingsDefinition, BillingSettingsStore } from './seller/billing-settings-store';
import { LogoStore } from './seller/logo-store';
import { sellerRpc } from './seller/seller-rpc';
import { openSessions } from './sales/service';
import { announcedInvoices } from './announcement/invoice-event-message';
import { foundInvoices, invoiceSearch } from './invoice/document/find-invoices';
import { noRateAlarm } from './tax/no-rate-alarm';
import { WaitingAuthorizationStore } from './collection/waiting-authorization-store';
import {
  subscriptionMethodDefinition,
  SubscriptionMethodStore,
} from './payment-method/subscription-method-store';

const sweepReservationsEveryMs = 30_000;
const totalsEveryMs = 60_000;
const deleteExpiredEveryMs = 10 * 60_000;
const askForExpiriesEveryMs = 60_000;
// A replica with an earlier configuration may still postpone invoices while it stops.
const resumeEveryMs = 30_000;

/** Starts checkout. */
export async function start(
  config: CheckoutConfiguration,
  overrides: ServiceOverrides = {},
): Promise<RunningService> {
  const service = await Service.open('checkout', config, overrides);
  const { clock, logger, metrics } = service;
  const pages = openPages(service, config);
  const invoices = service.aggregates(announcedInvoices(pages));
  const { payers, saved, ...owned } = openMethods(service);
  const { methods, refused } = owned;
  const numbers = openNumbers(service);
  const seller = openSeller(service);
  const { balances, entries } = openBalances(service);
  const { providerOf, isLiveConfigured, sandboxDisputes, charges, ...announced } =
    configuredProviders(service, config);
  const areChargesHeld = () => service.slices.system.state === 'RECOVERING';
  const workers = invoiceWorkers({
    ...{ invoices, numbers, balances, methods, providerOf, clock, logger, metrics, areChargesHeld },
    retryDays: config.DUNNING_RETRY_DAYS,
    ...chargeAlarms(service),
  });
  const { collection: worker, saver, payments, recordedPayments, attempts } = workers;
  const { waits, authorizations } = waitForProvider(service, { worker, saver, isLiveConfigured });
  if (isLiveConfigured) askForExpiries(service, { methods: saved, providerOf });
  const peers = connectPeers(service, config);
  const isCustomerDeleted = customerDeletion(peers);
  const { credits, ...credited } = openCredits(service, {
    ...{ invoices, methods, balances, attempts, providerOf, isCustomerDeleted, sandboxDisputes },
    areChargesHeld,
  });
  const sales = openSessions(service, {
    ...{ ...workers, invoices, settings: seller.settings, methods, refused, pages, peers },
    creditNotes: credits.creditNotes,
    retentionDays: config.RETENTION_SESSIONS,
  });
  const { sessions: sessionRecords, worker: sessions } = sales;
  const exported = { ...sales, invoices, entries, pages };
  const shared = { invoices, balances, pages, worker, logger };
  handleInvoices({ ...shared, ...credits, recordedPayments, saver, sessions, peers });
  const { expiring } = handleMethods({ payers, saved, methods, worker, peers });
  const recovered = { sessions: sessionRecords, ...{ invoices, attempts, pages, peers, charges } };
  recoverCheckout(service, { ...recovered, ...announced, ...owned, refunds: credits.refunds });
  const reservations = openChangeReservations(service, { invoices, balances, peers });
  const reports = openReports(service, { sessions: sessionRecords, invoices });
  return service.serve([
    checkoutRpc({
      ...{ ...shared, reservations, saver, methods, authorizations, isLiveConfigured },
      ...{ ...credits, peers, clock, settings: seller.settings, onTaxed: noRateAlarm(service) },
    }),
    paymentRpc({
      ...{ ...shared, payments, recordedPayments, sessions, saver, clock, isCustomerDeleted },
      refunds: credits.refunds,
      ...owned,
      ...announced,
    }),
    paymentMethodRpc({ methods, expiring, peers, clock }),
    balanceRpc({ balances, entries, peers }),
    ...credited.rpcs,
    sellerRpc({ ...seller, restoreCodes: () => service.slices.system.restoreCodes }),
    brandingRpc({ ...seller, pageUrl: config.HOSTED_PAGE_URL }),
    reportRpc({ reports, invoices, pages, waits, isLiveConfigured }),
    searchRpc(invoiceSearch(invoices, numbers), foundInvoices),
    exportRpc(service, exportedResources({ ...exported, rows: credited.rows })),
    ...deletionRpcs(service, {
      ...{ ...shared, saved, payers, providerOf },
      ...{ sessions: sessionRecords, sessionWorker: sessions, collection: worker },
    }),
    ...sales.rpcs,
  ]);
}

function deletionRpcs(
  service: Service,
  dependencies: ErasureDependencies & ObligationDependencies,
) {
  return [obligationRpc(dependencies), erasureRpc(service, erasingPayers(dependencies))];
}

/** Reports what people must look at after a charge. */
function chargeAlarms({ logger, clock, metrics }: Service) {
  return {
    onProviderChanged: providerAlarm({ logger, clock }),
    onNotCharged: notChargedAlarm({ logger, clock, metrics }),
  };
}

function handleInvoices(dependencies: InvoiceCommandDependencies): void {
  const { invoices, worker, refunds } = dependencies;
  invoices.handle({
    commands: invoiceCommands(dependencies),
    unskippable: unskippableInvoiceCommands,
    wake: async (id, context) => {
      const work = [worker.collectDue(id, context), refunds.lookWhenDue(id, context)];
      await withinTime(providerWaitMs, settled(work));
    },
    recover: async (id, context) => {
      const work = [worker.resume(id, context), refunds.resume(id, context)];
      await withinTime(providerWaitMs, settled(work));
    },
  });
}

function handleMethods({
  payers,
  saved,
  methods,
  worker,
  peers,
}: Pick<ReturnType<typeof openMethods>, 'payers' | 'saved' | 'methods'> &
  Pick<InvoiceCommandDependencies, 'worker' | 'peers'>) {
  payers.handle({ commands: payerCommands({ payers, methods, worker }) });
  const { subscriptions } = methods;
  const warned = { saved, payers, subscriptions, peers };
  const warnings = new ExpiryWarningWorker(warned);
  saved.handle({ wake: (id, context) => warnings.warn(id, context) });
  return { expiring: new ExpiringCardStore(warned) };
}

// Waits for all, so that the failure of one does not hide that another is still running.
async function settled(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}

function openReports(service: Service, counted: ConstructorParameters<typeof ReportStore>[1]) {
  const reports = new ReportStore(service, counted);
  const run = (signal: AbortSignal) => reports.updateSnapshots(signal);
  service.every({ name: 'report totals', everyMs: totalsEveryMs, run });
  return reports;
}

function waitForProvider(
  service: Service,
  {
    worker,
    saver,
    isLiveConfigured,
  }: { worker: CollectionWorker; saver: PaymentMethodWorker; isLiveConfigured: boolean },
) {
  const { db, clock, logger } = service;
  const waits = new ProviderWaitStore(db, { clock });
  const authorizations = new WaitingAuthorizationStore(db, logger);
  service.ensureIndexes(() => waits.ensureIndexes());
  service.metrics.observeWaitingInvoices(() => waits.countAll());
  if (isLiveConfigured) {
    const resume = worker.resumeWaiting.bind(worker);
    const run = async (signal: AbortSignal) => {
      // Cards first, because invoices are charged to them.
      await authorizations.keepAll(saver, signal);
      await waits.resumeAll({ resume }, signal);
    };
    service.every({ name: 'collection without provider', everyMs: resumeEveryMs, run });
  }
  return { waits, authorizations };
}

function openRefusedAttempts(service: Service): RefusedAttemptStore {
  const refused = new RefusedAttemptStore(service.db, service);
  service.ensureIndexes(() => refused.ensureIndexes());
  const run = () => refused.deleteExpired();
  const name = 'forget refused payments';
  service.every({ name, everyMs: deleteExpiredEveryMs, run, onOneReplica: true });
  return refused;
}

function openMethods(service: Service) {
  const payers = service.aggregates(payerDefinition);
  const subscriptions = new SubscriptionMethodStore(
    service.aggregates(subscriptionMethodDefinition),
  );
  const saved = service.aggregates(paymentMethodDefinition);
  const methods = new PaymentMethodStore(saved, payers, subscriptions);
  const reports = new ProviderReportStore(service.db, service);
  service.ensureIndexes(() => reports.ensureIndexes());
  return { payers, saved, methods, reports, refused: openRefusedAttempts(service) };
}

function askForExpiries(
  service: Service,
  asked: Pick<UnknownExpiryDependencies, 'methods' | 'providerOf'>,
): void {
  const { db, clock, slices } = service;
  const hasOlderReplica = () => slices.hasOlder();
  const expiries = new UnknownExpiryStore(db, { ...asked, clock, hasOlderReplica });
  service.every({
    name: 'ask for expiries of cards',
    everyMs: askForExpiriesEveryMs,
    run: (signal) => expiries.askAll(signal),
    onOneReplica: true,
  });
}

function openBalances(service: Service) {
  const { db, clock, logger } = service;
  const entries = new BalanceEntryStore(db);
  service.ensureIndexes(() => entries.ensureIndexes());
  const documents = service.aggregates(balanceDefinition);
  const balances = new BalanceStore(documents, entries, clock, logger);
  documents.handle({ recover: (id, context) => balances.copyPending(id, context) });
  return { balances, entries };
}

function openNumbers(service: Service): InvoiceNumberStore {
  const numbers = new InvoiceNumberStore(service.db, () => service.slices.system.restoreCode);
  service.ensureIndexes(() => numbers.ensureIndexes());
  return numbers;
}

function openSeller(service: Service) {
  const brandings = new BrandingStore(service.aggregates(brandingDefinition));
  const settings = new BillingSettingsStore(
    service.aggregates(billingSettingsDefinition),
    brandings,
  );
  const logos = new LogoStore(service.db);
  service.ensureIndexes(() => logos.ensureIndexes());
  return { settings, brandings, logos };
}

function openChangeReservations(
  service: Service,
  dependencies: Pick<ReservationDependencies, 'invoices' | 'balances' | 'peers'>,
): ReservationWorker {
  const { db, clock } = service;
  const reservations = openReservations(db, clock);
  const isDeleted = (environmentId: string) => service.deletion.isDeleted(environmentId);
  const due = new DueReservations(db, { clock, isDeleted });
  service.ensureIndexes(() => due.ensureIndexes());
  const worker = new ReservationWorker({ ...dependencies, reservations, clock });
  const look = worker.look.bind(worker);
  const run = (signal: AbortSignal) => due.sweep(look, signal);
  const name = 'release reservations without a change';
  service.every({ name, everyMs: sweepReservationsEveryMs, run, onOneReplica: true });
  return worker;
}

function openPages(service: Service, config: CheckoutConfiguration): HostedPageStore {
  service.dependOnSecrets(pageSecrets(config));
  const pages = new HostedPageStore(service.db, {
    url: config.HOSTED_PAGE_URL,
    secret: config.HOSTED_PAGE_SECRET,
    oldSecrets: oldSecretsOf(config),
  });
  service.ensureIndexes(() => pages.ensureIndexes());
  return pages;
}
