import { only, type Transition, unchanged } from '@billing/kernel/transition';
import type { InvoiceBuyer } from '../tax/finalization';
import type { InvoiceRecord } from '../invoice/invoice';

/** Keeps the buyer on an invoice that shows none, before its customer is erased. */
export function keepBuyer(record: InvoiceRecord, buyer: InvoiceBuyer): Transition<InvoiceRecord> {
  if (record.isTombstone || record.status === 'DRAFT') return unchanged(record);
  const shown = record.finalization?.parties?.buyer ?? record.keptBuyer;
  return shown === undefined ? only({ ...record, keptBuyer: buyer }) : unchanged(record);
}
