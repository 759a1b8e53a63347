import type { Currency } from '@billing/kernel/currency';
import { DomainError } from '@billing/kernel/domain-error';
import { sumOf } from '@billing/kernel/money';
import { only, type Transition, unchanged } from '@billing/kernel/transition';
import type { Attempt, AttemptOrigin, RecordedPayment, SentResult } from './attempt';
import { amountReduced, type Credits } from './credit/credit';
import type { DeclineKind } from '../provider/port/payment-provider';
import type { InvoiceDiscount } from './invoice-discount';
import { type PaidPeriod, periodFrom } from './paid-period';
import type { Reservation } from './reservation';
import {
  type Finalization,
  fixed,
  type InvoiceBuyer,
  lineTaxOf,
  type TaxOfLine,
} from '../tax/finalization';

type InvoiceStatus = 'DRAFT' | 'OPEN' | 'PAID' | 'VOID' | 'UNCOLLECTIBLE';
export type BillingReason =
  | 'CHECKOUT'
  | 'SUBSCRIPTION_CREATE'
  | 'SUBSCRIPTION_CYCLE'
  | 'SUBSCRIPTION_CANCEL'
  | 'SUBSCRIPTION_CHANGE'
  /** One-off: the invoice has no subscription. */
  | 'MANUAL';
export type CollectionMethod = 'CHARGE_AUTOMATICALLY' | 'SEND_INVOICE';

/**
 * One charge on an invoice. `amount` is in the currency's smallest unit, negative if it reverses an
 * earlier charge.
 */
export interface LineItem {
  readonly id: string;
  readonly description: string;
  /** Decimal string, in units. */
  readonly quantity: string;
  /** Rate, a decimal string; absent for tiered prices. */
  readonly unitAmount: string | undefined;
  readonly amount: bigint;
  /** This line's share of its discount. */
  readonly discountAmount: bigint;
  readonly priceId: string | undefined;
  /** Meter of the billed usage; undefined for other lines. */
  readonly meterId: string | undefined;
  /** Undefined on one-off invoices, and on invoices of earlier releases. */
  readonly kind?: LineKind | undefined;
  /** Item of the subscription; undefined if the line has none. */
  readonly itemId?: string | undefined;
  /** Product of the item. */
  readonly itemProductId?: string | undefined;
  /** Undefined on a session's invoice until it is PAID. */
  readonly periodStart: Date | undefined;
  readonly periodEnd: Date | undefined;
  readonly details: LineItemDetails | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Undefined: `standard`. */
  readonly taxCategory?: string | undefined;
  /** Undefined while the invoice is not taxed. */
  readonly tax?: TaxOfLine | undefined;
}

type LineKind = 'RECURRING' | 'UNUSED_TIME' | 'REMAINING_TIME' | 'USAGE';

/** Part of a period that a line charges or gives back. */
interface Proration {
  /** Milliseconds. */
  readonly numerator: bigint;
  readonly denominator: bigint;
  /** Amount that the fraction multiplies, a decimal string. */
  readonly of: string;
}

/** Calculation of a line's amount, in decimal strings. */
export interface LineItemDetails {
  readonly exactAmount: string;
  readonly billedQuantity: string;
  readonly includedUnits: string;
  /** Tiers that priced at least one unit; empty without tiers. */
  readonly tiers: LineItemTier[];
  /** In the order in which they were used. */
  readonly creditsUsed: LineItemCredit[];
  /** Undefined for lines of whole periods. */
  readonly proration?: Proration | undefined;
}

/** Units covered by one grant of prepaid credits, a decimal string. */
interface LineItemCredit {
  readonly grantId: string;
  readonly quantity: string;
}

/** Units priced by one tier, in decimal strings; the amount includes the flat amount. */
export interface LineItemTier {
  /** Absent: unlimited. */
  readonly upTo?: string | undefined;
  readonly quantity: string;
  readonly unitAmount: string;
  readonly flatAmount: string;
  readonly amount: string;
}

/**
 * One finished attempt to collect an invoice, or a payment that was recorded. If nothing is due,
 * the attempt verifies a method and is shown to no caller.
 */
export interface Payment {
  readonly id: string;
  /**
   * Number of the attempt at the invoice, from 1; numbering continues after old payments are
   * dropped from the list.
   */
  readonly number: number;
  readonly amount: bigint;
  /** Name of the adapter; `none` if no provider was asked; `external` and `balance`. */
  readonly provider: string;
  readonly providerPaymentId: string | undefined;
  readonly status: 'SUCCEEDED' | 'FAILED';
  readonly failureCode: string | undefined;
  /** Decline kind of the failure; undefined for a success. */
  readonly decline: DeclineKind | undefined;
  /** Saved method that was charged, or that comes from an authorization; undefined if none. */
  readonly methodId: string | undefined;
  /** Card of the charge; absent: none, unknown, or recorded by an earlier release. */
  readonly card?: PaymentCard | undefined;
  /** Initiator of the attempt. */
  readonly origin: AttemptOrigin;
  /** Index of the scheduled charge; see Attempt. */
  readonly retry: number | undefined;
  /**
   * Charged source of a failure at the provider, which may still succeed later. Absent in payments
   * of earlier releases.
   */
  readonly charged?: Pick<Attempt, 'source' | 'claimedAt' | 'becomesDefault'> | undefined;
  /** Id of the requesting call; see Attempt. */
  readonly callId: string | undefined;
  /** Details of a payment that a caller has recorded; undefined for charges. */
  readonly recorded: RecordedPayment | undefined;
  /** Part of the amount beyond what was outstanding. It goes to the customer's balance. */
  readonly overpayment: bigint;
  /** Start of its attempt. */
  readonly createdAt: Date;
  /** Time at which its outcome was recorded. */
  readonly endedAt: Date;
}

/** A card as payers recognize it: `visa`, `4242`. */
export interface PaymentCard {
  readonly brand: string;
  readonly last4: string;
}

/** Reason why nothing was charged. */
export interface PaymentError {
  readonly code: string;
  /** Environment time. */
  readonly at: Date;
}

/**
 * Session of the invoice, and the subscription and period that the invoice gets once it is PAID.
 */
export interface InvoiceSession {
  readonly sessionId: string;
  readonly subscriptionId: string | undefined;
  readonly paidPeriod: PaidPeriod;
}

/** Terms of a one-off invoice that a caller sets. */
export interface OneOffTerms {
  /** Days from the opening to the due date; undefined: the usual number. */
  readonly netDays: number | undefined;
  readonly memo: string | undefined;
  readonly purchaseOrder: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Environment time at which the draft was accepted for opening; a draft before it can change. */
  readonly finalizedAt: Date | undefined;
  /** Idempotency: the call that has finalized the draft, if it has such an id. */
  readonly finalizedBy?: string | undefined;
}

/** Amount that a customer owes for one period. */
export interface Invoice extends Credits {
  readonly id: string;
  readonly isTombstone: false;
  /** Undefined on a session's invoice until it is PAID, and permanently for a ONE_TIME product. */
  readonly subscriptionId: string | undefined;
  /** Undefined if the invoice has no session. */
  readonly session: InvoiceSession | undefined;
  readonly customerId: string;
  readonly status: InvoiceStatus;
  /** `INV-000001`; every invoice that has left DRAFT has a number. */
  readonly number: string | undefined;
  readonly collectionMethod: CollectionMethod;
  readonly billingReason: BillingReason;
  readonly currency: Currency;
  /** Undefined on a session's invoice until it is PAID. */
  readonly periodStart: Date | undefined;
  readonly periodEnd: Date | undefined;
  readonly lineItems: readonly LineItem[];
  /** At most two: the second one is of parts of a period that were put off. */
  readonly discounts: readonly InvoiceDiscount[];
  /** Authorization that the first attempt captures; removed once the invoice is open. */
  readonly authorizedTransactionId: string | undefined;
  readonly dueDate: Date | undefined;
  readonly paidAt: Date | undefined;
  /**
   * Environment time of the next automatic step: an attempt, or the due date or next reminder of a
   * sent invoice.
   */
  readonly collectAt: Date | undefined;
  /** Retry dates after `collectAt`. */
  readonly retriesLeft: readonly Date[];
  /** All reminders of a sent invoice after its due date; empty for others and for a draft. */
  readonly reminderDates: readonly Date[];
  /** Time of the first failed attempt of the schedule; retry dates count from it. */
  readonly firstFailedAt: Date | undefined;
  /**
   * The subscription has ended, so nothing is automatic any more. WRITTEN_OFF: becomes
   * UNCOLLECTIBLE once no attempt runs.
   */
  readonly ended: 'PAYABLE' | 'WRITTEN_OFF' | undefined;
  /** End of dunning without payment; the invoice may still be paid later. */
  readonly givenUpAt: Date | undefined;
  /** Environment time; undefined unless VOID, and on invoices that an earlier release voided. */
  readonly voidedAt?: Date | undefined;
  /** Idempotency: the call that has written the invoice off, if it has such an id. */
  readonly writtenOffBy?: string | undefined;
  /** Idempotency: the call that has voided the invoice, if it has such an id. */
  readonly voidedBy?: string | undefined;
  /**
   * Time since which collection waits for a payment provider to be configured; undefined if it does
   * not wait.
   */
  readonly awaitsProviderSince: Date | undefined;
  /** Reason why the last charge did not happen; undefined once the invoice is PAID. */
  readonly lastPaymentError: PaymentError | undefined;
  readonly attempt: Attempt | undefined;
  readonly payments: readonly Payment[];
  /** Number of results sent to the subscription. */
  readonly resultsSent: number;
  /**
   * The latest results sent, oldest first, which are sent again after a restore. Absent in invoices
   * of earlier releases.
   */
  readonly results?: readonly SentResult[] | undefined;
  /**
   * Round under which the opening takes from the customer's balance, 1 outside plan changes;
   * undefined: it takes nothing. Decided with the draft, so that all openings of an invoice agree.
   */
  readonly balanceRound: number | undefined;
  /** Amount that the customer's balance has paid; 0 before OPEN, and for a VOID invoice. */
  readonly balanceApplied: bigint;
  /** Undefined for invoices that are not one-off. */
  readonly oneOff: OneOffTerms | undefined;
  /**
   * True for the invoice of a plan change until its only charge: a failure voids it. Absent means
   * false.
   */
  readonly isChargedOnce?: boolean;
  /** Credit that a plan change has reserved; an invoice has one reservation at a time. */
  readonly reservation: Reservation | undefined;
  /** Undefined on invoices of earlier releases. */
  readonly finalization?: Finalization | undefined;
  /** Buyer of an invoice that kept none before its customer was deleted. Absent: none. */
  readonly keptBuyer?: InvoiceBuyer | undefined;
}

/**
 * Takes the place of an invoice that was voided before its creation. It has no number and is never
 * shown.
 */
export interface Tombstone {
  readonly id: string;
  readonly isTombstone: true;
  readonly subscriptionId: string | undefined;
  readonly sessionId?: string | undefined;
  readonly customerId: string;
  readonly status: 'VOID';
  readonly currency: Currency;
}

/** Record under an invoice's id. */
export type InvoiceRecord = Invoice | Tombstone;

/** SEND_INVOICE invoices are due this many days after they open. */
const netDaysUsual = 30;
const dayMs = 24 * 60 * 60 * 1000;

/** Tombstone of an invoice that must never be created. */
export function tombstone(
  input: Omit<Tombstone, 'isTombstone' | 'status'>,
): Transition<InvoiceRecord> {
  return { state: { ...input, isTombstone: true, status: 'VOID' }, events: [], commands: [] };
}

/** Facts that an opening looks up before its write. */
export interface Opening {
  readonly number: string | undefined;
  /** Amount that the invoice has taken from the balance; undefined if it takes nothing. */
  readonly balanceApplied?: bigint | undefined;
  readonly now: Date;
}

/**
 * Numbers the invoice and makes it owed; the caller decides in the same write how it is collected.
 */
export function open(invoice: Invoice, { number, balanceApplied, now }: Opening): Invoice {
  if (invoice.status !== 'DRAFT') throw new Error(`Invoice ${invoice.id} is already open`);
  if (number === undefined) throw new Error(`Invoice ${invoice.id} has no number`);
  if (invoice.balanceRound !== undefined && balanceApplied === undefined) {
    throw new Error(`Invoice ${invoice.id} has not asked the balance`);
  }
  if ((balanceApplied ?? 0n) > totalOf(invoice)) {
    throw new Error(`Invoice ${invoice.id} has taken more than its total`);
  }
  const isSent = invoice.collectionMethod === 'SEND_INVOICE' && invoice.session === undefined;
  return {
    ...invoice,
    status: 'OPEN',
    number,
    balanceApplied: balanceApplied ?? 0n,
    authorizedTransactionId: undefined,
    dueDate: isSent ? new Date(now.getTime() + netDaysOf(invoice) * dayMs) : undefined,
  };
}

function netDaysOf({ oneOff, finalization }: Invoice): number {
  return oneOff?.netDays ?? finalization?.netDays ?? netDaysUsual;
}

/**
 * Settles the invoice: after a successful payment, or because nothing was due. A session's invoice
 * gets its subscription in the same write.
 */
export function pay(invoice: Invoice, now: Date): Invoice {
  const { id, status } = invoice;
  if (!isOwed(invoice)) throw new Error(`Invoice ${id} is ${status}`);
  const paid: Invoice = {
    ...withoutSchedule(invoice),
    status: 'PAID',
    paidAt: now,
    lastPaymentError: undefined,
  };
  if (invoice.session === undefined) return paid;
  const { subscriptionId, paidPeriod } = invoice.session;
  const period = periodFrom(paidPeriod, now);
  const bounds = { periodStart: period?.start, periodEnd: period?.end };
  const lineItems = invoice.lineItems.map((line) => ({ ...line, ...bounds }));
  const finalization = fixed(invoice.finalization, now);
  return { ...paid, subscriptionId, ...bounds, lineItems, finalization };
}

/** Removes all automatic steps from the invoice. */
export function withoutSchedule(invoice: Invoice): Invoice {
  return { ...invoice, collectAt: undefined, retriesLeft: [], awaitsProviderSince: undefined };
}

/**
 * An invoice of an ended subscription: it stays payable, and nothing is charged for it. A sent one
 * keeps its due date and its reminders.
 */
export function withoutCharges(invoice: Invoice): Invoice {
  return invoice.collectionMethod === 'SEND_INVOICE'
    ? { ...invoice, awaitsProviderSince: undefined }
    : withoutSchedule(invoice);
}

/** True if the invoice can still be paid, including an UNCOLLECTIBLE invoice. */
export function isOwed(record: InvoiceRecord): record is Invoice {
  return !record.isTombstone && (record.status === 'OPEN' || record.status === 'UNCOLLECTIBLE');
}

/**
 * Voids an invoice that is still owed; a PAID or VOID invoice stays as it is. One with a payment
 * or a credit note stays owed, without charges. Needs an empty slot, because a running attempt may
 * still succeed. A DRAFT is numbered by the same write, so that a number it may have taken leaves
 * no gap. A scheduled attempt is dropped. A command returns what the invoice has taken from the
 * customer's balance. A reservation lapses.
 */
export function voidInvoice(record: InvoiceRecord, opening: Opening): Transition<InvoiceRecord> {
  if (record.status !== 'DRAFT' && record.status !== 'OPEN') return unchanged(record);
  if (record.attempt !== undefined) throw paymentInProgress();
  if (hasPaymentOrCredit(record)) {
    const isSent = record.collectionMethod === 'SEND_INVOICE';
    const isEnded = record.ended !== undefined && (isSent || record.collectAt === undefined);
    if (isEnded) return unchanged(record);
    return only({ ...withoutCharges(record), ended: record.ended ?? 'PAYABLE' });
  }
  const opened = record.status === 'DRAFT' ? open(record, opening) : record;
  return withReturnedBalance(withoutSchedule(opened), opening.now);
}

/** A VOID invoice; a command returns what it has taken from the customer's balance. */
export function withReturnedBalance(invoice: Invoice, now: Date): Transition<Invoice> {
  const voided = { ...invoice, status: 'VOID', voidedAt: now } as const;
  return {
    state: { ...voided, balanceApplied: 0n, reservation: undefined },
    events: [],
    commands: invoice.balanceApplied > 0n ? [{ type: 'returnBalance', payload: {} }] : [],
  };
}

/** True if a payment of the invoice has succeeded, or a part of it was credited. */
export function hasPaymentOrCredit({
  payments,
  creditNotes,
}: Pick<Invoice, 'payments' | 'creditNotes'>): boolean {
  return creditNotes.length > 0 || payments.some(({ status }) => status === 'SUCCEEDED');
}

/** Retryable error for a caller that does not get the slot. */
export function paymentInProgress(): DomainError {
  const message = 'A payment of the invoice is in progress';
  return new DomainError('failed_precondition', 'PAYMENT_IN_PROGRESS', message);
}

/**
 * Throws if the invoice has another holder. An id is derived from its subscription or session, so a
 * mismatch is a bug.
 */
export function checkHolder(
  record: InvoiceRecord,
  holder: { readonly subscriptionId?: string | undefined; readonly sessionId?: string | undefined },
): void {
  const { subscriptionId, sessionId } = holder;
  const isOfSession = subscriptionId === undefined;
  const isHeld = isOfSession
    ? sessionIdOf(record) === sessionId
    : record.subscriptionId === subscriptionId;
  if (!isHeld) {
    const name = isOfSession ? `session ${sessionId ?? ''}` : `subscription ${subscriptionId}`;
    throw new Error(`Invoice ${record.id} is not of ${name}`);
  }
}

/** Session of the invoice; undefined if it has none. */
export function sessionIdOf(record: InvoiceRecord): string | undefined {
  return record.isTombstone ? record.sessionId : record.session?.sessionId;
}

/** Lines of an invoice, as far as its amounts depend on them. */
export interface Amounts {
  readonly lineItems: readonly Pick<LineItem, 'amount' | 'tax'>[];
}

/** Σ of the lines. */
export function subtotalOf({ lineItems }: Amounts): bigint {
  return sumOf(lineItems.map(({ amount }) => amount));
}

/** Σ of the discounts. */
export function discountAmountOf({ discounts }: Pick<Invoice, 'discounts'>): bigint {
  return sumOf(discounts.map(({ amount }) => amount));
}

/** Σ of the lines' taxes. */
export function taxOf({ lineItems }: Amounts): bigint {
  return sumOf(lineItems.map(lineTaxOf));
}

/** Total owed. */
export function totalOf(invoice: Amounts & Pick<Invoice, 'discounts'>): bigint {
  return subtotalOf(invoice) - discountAmountOf(invoice) + taxOf(invoice);
}

/** Part of the total that is left to payments: all but what the customer's balance has paid. */
export function payableOf(
  invoice: Amounts & Pick<Invoice, 'discounts' | 'balanceApplied'>,
): bigint {
  return totalOf(invoice) - invoice.balanceApplied;
}

/** Σ of the successful payments without what was paid beyond the outstanding amount. */
export function amountPaid({ payments }: Pick<Invoice, 'payments'>): bigint {
  const succeeded = payments.filter(({ status }) => status === 'SUCCEEDED');
  return sumOf(succeeded.map(({ amount, overpayment }) => amount - overpayment));
}

/** Part of the total that nothing has paid or lowered yet. */
export function outstandingOf(
  invoice: Amounts & Pick<Invoice, 'discounts' | 'balanceApplied' | 'payments' | 'creditNotes'>,
): bigint {
  return payableOf(invoice) - amountPaid(invoice) - amountReduced(invoice);
}

/** True if the attempt moved no money and only verified that the method can be charged later. */
export function isVerification({ amount }: Pick<Payment, 'amount'>): boolean {
  return amount === 0n;
}

/** Amount still owed. */
export function amountDue(invoice: Invoice): bigint {
  return invoice.status === 'OPEN' ? outstandingOf(invoice) : 0n;
}
