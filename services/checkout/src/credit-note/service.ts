import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Service } from '@billing/chassis/service';
import type { BalanceStore } from '../balance/balance-store';
import { InvoiceNumberStore } from '../invoice/number/invoice-number-store';
import { announceDispute, type SandboxDispute } from '../provider/sandbox/disputes';
import { CreditRowStore } from '../refund/credit-row-store';
import { refundRpc } from '../refund/refund-rpc';
import { type RefundDependencies, RefundWorker } from '../refund/refund-worker';
import { creditNoteRpc } from './credit-note-rpc';
import { type CreditNoteDependencies, CreditNoteWorker } from './credit-note-worker';

interface CreditServiceDependencies
  extends
    Pick<CreditNoteDependencies, 'methods' | 'attempts'>,
    Pick<RefundDependencies, 'invoices' | 'providerOf' | 'isCustomerDeleted' | 'areChargesHeld'> {
  readonly balances: BalanceStore;
  readonly sandboxDisputes: AggregateCollection<SandboxDispute>;
}

/** Opens credit notes, refunds and disputes. */
export function openCredits(service: Service, dependencies: CreditServiceDependencies) {
  const { invoices, sandboxDisputes: disputes } = dependencies;
  const { db, clock, logger } = service;
  const rows = new CreditRowStore(db);
  const series = () => service.slices.system.restoreCode;
  const numbers = new InvoiceNumberStore(db, series, 'creditNoteNumbers');
  service.ensureIndexes(() => rows.ensureIndexes());
  service.ensureIndexes(() => numbers.ensureIndexes());
  const refunds = new RefundWorker({ ...dependencies, ...refundAlarms(service), rows, clock });
  const creditNotes = new CreditNoteWorker({
    ...{ ...dependencies, numbers, refunds, clock, logger },
  });
  disputes.handle({
    wake: (id, context) => {
      const check = (invoiceId: string) => refunds.checkDispute(invoiceId, id, context);
      return announceDispute(id, { disputes, check, context });
    },
  });
  return {
    credits: { creditNotes, refunds },
    rows,
    rpcs: [creditNoteRpc({ invoices, rows, creditNotes }), refundRpc({ invoices, rows, refunds })],
  };
}

function refundAlarms({ logger }: Service) {
  return {
    onUnknown: (error: unknown, invoiceId: string) => {
      logger.warn({ err: error, invoiceId }, 'refund outcome unknown, retrying');
    },
    onUnknownDispute: (providerDisputeId: string, invoiceId: string) => {
      logger.warn({ providerDisputeId, invoiceId }, 'dispute of an unknown payment dropped');
    },
  };
}
