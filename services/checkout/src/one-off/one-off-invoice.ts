import { DomainError, notFound } from '@billing/kernel/domain-error';
import { oneOffAmount, type OneOffLineFields } from '@billing/kernel/input/one-off-invoice';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import { checkTotal, draft as newDraft, type NewInvoice, type NewLineItem } from '../draft/draft';
import { type Invoice, type InvoiceRecord, type OneOffTerms, totalOf } from '../invoice/invoice';
import { type InvoiceTerms, withTerms } from '../tax/invoice-terms';

/** Line of a one-off invoice as a caller gives it. */
export interface OneOffLine extends OneOffLineFields {
  readonly quantity: string;
  readonly periodStart: Date | undefined;
  readonly periodEnd: Date | undefined;
  readonly taxCategory?: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Fields of a draft that its caller may change; an absent one stays. */
export type DraftChanges = Partial<
  Pick<Invoice, 'collectionMethod'> &
    Omit<OneOffTerms, 'finalizedAt' | 'finalizedBy'> & {
      readonly lineItems: NewInvoice['lineItems'];
    }
>;

/** Facts that a finalization looks up before its write. */
export interface Finalization {
  /** True if the customer has a balance in the invoice's currency. */
  readonly hasBalance: boolean;
  readonly terms: DraftTerms;
  readonly now: Date;
  /** Idempotency: the same call finalizes once; undefined if the call has no such id. */
  readonly callId: string | undefined;
}

/** Seller and buyer as a write of the draft reads them. */
export type DraftTerms = Pick<InvoiceTerms, 'settings' | 'defaultLocale' | 'buyer' | 'cardCountry'>;

/** A one-off invoice: a draft that its caller may change, unless it is finalized at once. */
export function createOneOff(
  invoice: Pick<
    NewInvoice,
    'id' | 'customerId' | 'currency' | 'collectionMethod' | 'lineItems' | 'terms'
  > & { readonly oneOff: OneOffTerms },
): Transition<Invoice> {
  return newDraft({
    ...invoice,
    ...{ subscriptionId: undefined, authorizedTransactionId: undefined },
    ...{ periodStart: undefined, periodEnd: undefined },
    billingReason: 'MANUAL',
  });
}

/** Line items of the lines; `idOf` derives the id of each from its position. */
export function lineItemsOf(
  lines: readonly OneOffLine[],
  idOf: (index: number) => string,
): NewLineItem[] {
  return lines.map((line, index) => ({
    id: idOf(index),
    description: line.description,
    quantity: line.quantity,
    unitAmount: line.unitAmount,
    amount: oneOffAmount(line),
    ...{ priceId: undefined, meterId: undefined, details: undefined },
    ...{ periodStart: line.periodStart, periodEnd: line.periodEnd },
    metadata: line.metadata,
    taxCategory: line.taxCategory,
  }));
}

/** Changes a draft. Its lines are replaced as a whole, and its taxes estimated again. */
export function changeDraft(
  record: InvoiceRecord,
  { lineItems, collectionMethod, ...changed }: DraftChanges,
  { terms, now }: Pick<Finalization, 'terms' | 'now'>,
): Transition<InvoiceRecord> {
  const { oneOff, ...invoice } = draftOf(record);
  const lines = lineItems?.map((line) => ({ ...line, discountAmount: 0n })) ?? invoice.lineItems;
  const state = {
    ...invoice,
    ...withTerms({ ...invoice, lineItems: lines }, { ...terms, at: now, isFinal: false }),
    collectionMethod: collectionMethod ?? invoice.collectionMethod,
    oneOff: { ...oneOff, ...changed },
  };
  checkTotal(state);
  return only(state);
}

/**
 * Accepts a draft for opening; from now on it cannot be changed. Its taxes are computed for the
 * last time. Its command numbers it. A retried call changes nothing.
 */
export function finalize(
  record: InvoiceRecord,
  { hasBalance, terms, now, callId }: Finalization,
): Transition<InvoiceRecord> {
  if (isFinalizedBy(record, callId)) return unchanged(record);
  const draft = draftOf(record);
  const invoice = { ...draft, ...withTerms(draft, { ...terms, at: now, isFinal: true }) };
  checkTotal(invoice);
  const oneOff = { ...invoice.oneOff, finalizedAt: now, finalizedBy: callId };
  const commands = [{ type: 'openInvoice', payload: {} }];
  const balanceRound = roundOf(invoice, hasBalance);
  return { state: { ...invoice, oneOff, balanceRound }, events: [], commands };
}

/** True if the call has finalized the invoice. */
export function isFinalizedBy(record: InvoiceRecord, callId: string | undefined): boolean {
  return callId !== undefined && !record.isTombstone && record.oneOff?.finalizedBy === callId;
}

/** As for the invoices of subscriptions: only one with a total asks a balance when it opens. */
export function roundOf(
  invoice: Parameters<typeof totalOf>[0],
  hasBalance: boolean,
): number | undefined {
  return hasBalance && totalOf(invoice) > 0n ? 1 : undefined;
}

/** The record as a draft that its caller may still change; throws for any other. */
export function draftOf(record: InvoiceRecord): ChangeableDraft {
  if (record.isTombstone) throw notFound('Invoice');
  if (isChangeable(record)) return record;
  throw new DomainError('failed_precondition', 'INVOICE_NOT_DRAFT', 'Invoice is not a draft');
}

/** True for a draft that its caller may still change. */
export function isChangeable(invoice: Invoice): invoice is ChangeableDraft {
  const { oneOff, status } = invoice;
  return oneOff !== undefined && status === 'DRAFT' && oneOff.finalizedAt === undefined;
}

type ChangeableDraft = Invoice & { readonly oneOff: OneOffTerms };
