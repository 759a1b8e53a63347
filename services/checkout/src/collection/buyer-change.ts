import { invalidInput, notFound } from '@billing/kernel/domain-error';
import { isAmount } from '@billing/kernel/money';
import type { TaxExempt } from '@billing/kernel/tax/treatment';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { type InvoiceRecord, totalOf } from '../invoice/invoice';
import type { BillingSettings } from '../seller/billing-settings';
import { withTerms } from '../tax/invoice-terms';
import { type TypedBuyer, withTyped } from '../tax/typed-buyer';

/** Facts that a payer typed, and the terms by which the invoice is taxed again. */
export interface BuyerChange {
  readonly typed: TypedBuyer;
  readonly settings: BillingSettings;
  /** The customer's. */
  readonly taxExempt: TaxExempt;
  readonly now: Date;
}

/**
 * Takes what a payer typed about the buyer of a session's invoice, and computes its taxes again.
 * An invoice that was not taxed stays so; one that is paid, or being paid, stays as it is.
 */
export function changeBuyer(
  record: InvoiceRecord,
  { typed, settings, taxExempt, now }: BuyerChange,
): Transition<InvoiceRecord> {
  if (record.isTombstone) throw notFound('Invoice');
  const { finalization, status, attempt, session } = record;
  if (finalization?.taxes === undefined || session === undefined) return unchanged(record);
  if (status !== 'OPEN' || attempt !== undefined) return unchanged(record);
  const { netDays, invoicePrefix, locale, parties } = finalization;
  const buyer = withTyped(parties?.buyer, typed);
  const facts = { buyer, taxExempt, netDays };
  const terms = { settings, buyer: facts, at: now, isFinal: false };
  const { lineItems, discounts, finalization: computed } = withTerms(record, terms);
  const changed = {
    ...record,
    ...{ lineItems, discounts, finalization: { ...computed, invoicePrefix, locale } },
  };
  if (!isAmount(totalOf(changed))) {
    throw invalidInput({ country: ['The total with tax exceeds the maximum amount'] });
  }
  return only(changed);
}
