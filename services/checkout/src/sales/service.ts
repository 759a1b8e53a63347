import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { PreviewKeys } from '@billing/chassis/preview-keys';
import type { Service } from '@billing/chassis/service';
import { withinTime } from '@billing/chassis/within-time';
import { providerWaitMs } from '../provider/wait-for-effect';
import { checkoutLinkRpc } from './checkout-link-rpc';
import type { CreditNoteWorker } from '../credit-note/credit-note-worker';
import { hostedPageRpc } from '../hosted-page/rpc';
import type { HostedPageStore } from '../hosted-page/store';
import type { InvoiceRecord } from '../invoice/invoice';
import type { PaymentMethodStore } from '../payment-method/store';
import type { Peers } from '../peer/peers';
import { sessionCommands } from './commands';
import { SessionCreationWorker } from './create-session';
import type { RefusedAttemptStore } from '../collection/refused-attempt-store';
import { announcedLinks, sessionEventEncoder } from './events';
import type { SessionInvoices } from '../collection/session-invoice-worker';
import type { BillingSettingsStore } from '../seller/billing-settings-store';
import { SessionPreparer } from './session-preparation-worker';
import { sessionRpc } from './session-rpc';
import { SessionRetentionStore } from './session-retention-store';
import { sessionDefinition } from './session-store';
import { SessionWorker } from './session-worker';

/** Dependencies of sessions on the rest of checkout. */
export interface SessionDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly sessionInvoices: SessionInvoices;
  readonly settings: Pick<BillingSettingsStore, 'read' | 'readForInvoice'>;
  readonly methods: PaymentMethodStore;
  readonly refused: RefusedAttemptStore;
  readonly creditNotes: Pick<CreditNoteWorker, 'creditUndelivered'>;
  readonly pages: HostedPageStore;
  readonly peers: Peers;
  /** Days for which expired sessions are kept. */
  readonly retentionDays: number;
}

/** Creates the selling part of checkout: sessions, links and their pages. */
export function openSessions(service: Service, dependencies: SessionDependencies) {
  const { sessionInvoices, pages, peers, retentionDays } = dependencies;
  const sessions = service.aggregates({
    ...sessionDefinition,
    encodeEvent: sessionEventEncoder(pages),
  });
  const links = service.aggregates(announcedLinks(pages));
  const { clock, logger } = service;
  const preparer = new SessionPreparer({ ...dependencies, sessions, logger });
  const worker = new SessionWorker({
    sessions,
    invoices: sessionInvoices,
    openInvoice: (session, context) => preparer.invoiceOf(session, context),
    clock,
    logger,
  });
  sessions.handle({
    commands: sessionCommands({ ...dependencies, sessions, preparer, logger }),
    wake: async (id, context) => {
      await withinTime(providerWaitMs, worker.expireDue(id, context));
    },
    recover: (id, context) => withinTime(providerWaitMs, worker.resume(id, context)),
  });
  retainSessions(service, retentionDays);
  const creation = new SessionCreationWorker({
    sessions,
    links,
    invoices: dependencies.invoices,
    pages,
    peers,
    settings: dependencies.settings,
    keys: new PreviewKeys(service),
    preparer,
    clock,
  });
  const rpcs = [
    sessionRpc({ ...dependencies, sessions, creation, preparer, worker, clock, logger }),
    checkoutLinkRpc({ links, pages, peers }),
    hostedPageRpc(pages),
  ];
  return { sessions, links, worker, rpcs };
}

function retainSessions(service: Service, days: number): void {
  const expired = new SessionRetentionStore(service.db);
  service.ensureIndexes(() => expired.ensureIndexes());
  service.retain({
    name: 'delete expired sessions',
    days,
    deleteBatch: (before) => expired.deleteExpired(before),
  });
}
