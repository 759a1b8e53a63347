import type { Currency } from '@billing/kernel/currency';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import { AMOUNT_MAX, isAmount, parseAmount } from '@billing/kernel/money';
import { type Transition, unchanged } from '@billing/kernel/transition';
import type { Attempt, AttemptOrigin } from './attempt';
import type { DeclineKind } from './payment-provider';
import { type DiscountOnInvoice, discountLines, type InvoiceDiscount } from './invoice-discount';
import { type PaidPeriod, periodFrom } from './paid-period';

export type InvoiceStatus = 'DRAFT' | 'OPEN' | 'PAID' | 'VOID' | 'UNCOLLECTIBLE';
export type BillingReason =
  'CHECKOUT' | 'SUBSCRIPTION_CREATE' | 'SUBSCRIPTION_CYCLE' | 'SUBSCRIPTION_CANCEL';
export type CollectionMethod = 'CHARGE_AUTOMATICALLY' | 'SEND_INVOICE';

/** One charge on an invoice; `amount` in the currency's smallest unit, below 0 where it takes back what was billed before. */
export interface LineItem {
  readonly id: string;
  readonly description: string;
  /** Decimal string, in units. */
  readonly quantity: string;
  /** Rate, a decimal string; absent where tiers decide. */
  readonly unitAmount: string | undefined;
  readonly amount: bigint;
  /** This line's share of the invoice's discount. */
  readonly discountAmount: bigint;
  readonly priceId: string | undefined;
  /** Whose usage it bills; undefined: of none. */
  readonly meterId: string | undefined;
  /** Undefined on a session's invoice until it is PAID. */
  readonly periodStart: Date | undefined;
  readonly periodEnd: Date | undefined;
  readonly details: LineItemDetails | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** How a line's amount came about, in decimal strings. */
export interface LineItemDetails {
  readonly exactAmount: string;
  readonly billedQuantity: string;
  readonly includedUnits: string;
  /** Those that priced any unit; none where the price has no tiers. */
  readonly tiers: LineItemTier[];
  /** In the order in which they burned. */
  readonly creditsUsed: LineItemCredit[];
}

/** Units that one grant of prepaid credits covered, a decimal string. */
export interface LineItemCredit {
  readonly grantId: string;
  readonly quantity: string;
}

/** Units that one tier priced, in decimal strings; the amount is with the flat amount. */
export interface LineItemTier {
  /** Absent: open. */
  readonly upTo?: string | undefined;
  readonly quantity: string;
  readonly unitAmount: string;
  readonly flatAmount: string;
  readonly amount: string;
}

/** One finished attempt to collect an invoice; where nothing is due, to verify a method: such a one is shown to nobody. */
export interface Payment {
  readonly id: string;
  /** Which attempt at the invoice, from 1; numbers go on where old payments have left the list. */
  readonly number: number;
  readonly amount: bigint;
  /** The adapter's name; `none` where no provider was asked. */
  readonly provider: string;
  readonly providerPaymentId: string | undefined;
  readonly status: 'SUCCEEDED' | 'FAILED';
  readonly failureCode: string | undefined;
  /** What the failure says of the method; undefined for a success. */
  readonly decline: DeclineKind | undefined;
  /** Our saved method that was charged, or that an authorisation gives; undefined where there was none. */
  readonly methodId: string | undefined;
  /** Who asked for it. */
  readonly origin: AttemptOrigin;
  /** Which charge of the schedule; see Attempt. */
  readonly retry: number | undefined;
  /** What a failure at the provider charged, which may succeed later all the same. Absent in payments of earlier releases. */
  readonly charged?: Pick<Attempt, 'source' | 'claimedAt' | 'becomesDefault'> | undefined;
  /** Whose call it was; see Attempt. */
  readonly callId: string | undefined;
  /** When its attempt began. */
  readonly createdAt: Date;
  /** When what came of it was recorded. */
  readonly endedAt: Date;
}

/** Why nothing was charged. */
export interface PaymentError {
  readonly code: string;
  /** Business time. */
  readonly at: Date;
}

/** The session that an invoice belongs to, and what it becomes once it is PAID. */
export interface InvoiceSession {
  readonly sessionId: string;
  readonly subscriptionId: string | undefined;
  readonly paidPeriod: PaidPeriod;
}

/** What a customer owes for one period. */
export interface Invoice {
  readonly id: string;
  readonly isTombstone: false;
  /** Undefined on a session's invoice until it is PAID, and on that of a ONE_TIME product for ever. */
  readonly subscriptionId: string | undefined;
  /** Undefined: of no session. */
  readonly session: InvoiceSession | undefined;
  readonly customerId: string;
  readonly status: InvoiceStatus;
  /** `INV-000001`; every invoice has one once it is no longer a DRAFT. */
  readonly number: string | undefined;
  readonly collectionMethod: CollectionMethod;
  readonly billingReason: BillingReason;
  readonly currency: Currency;
  /** Undefined on a session's invoice until it is PAID. */
  readonly periodStart: Date | undefined;
  readonly periodEnd: Date | undefined;
  readonly lineItems: readonly LineItem[];
  /** At most one. */
  readonly discounts: readonly InvoiceDiscount[];
  /** What the first attempt shall capture; gone once the invoice is open. */
  readonly authorizedTransactionId: string | undefined;
  readonly dueDate: Date | undefined;
  readonly paidAt: Date | undefined;
  /** Business time of what comes next by itself: an attempt, or of an invoice that is sent its due date. */
  readonly collectAt: Date | undefined;
  /** The dates after `collectAt` at which it is tried again. */
  readonly retriesLeft: readonly Date[];
  /** When the first attempt of the schedule failed; the dates count from it. */
  readonly firstFailedAt: Date | undefined;
  /** Its subscription has ended: nothing comes by itself any more. WRITTEN_OFF: UNCOLLECTIBLE once no attempt runs. */
  readonly ended: 'PAYABLE' | 'WRITTEN_OFF' | undefined;
  /** When dunning ended without the money; it may be paid all the same later. */
  readonly givenUpAt: Date | undefined;
  /** Since when collection waits for a payment provider to be configured; undefined: it does not. */
  readonly awaitsProviderSince: Date | undefined;
  /** Why nothing was charged last; undefined once it is PAID. */
  readonly lastPaymentError: PaymentError | undefined;
  readonly attempt: Attempt | undefined;
  readonly payments: readonly Payment[];
  /** How many results the subscription has been sent. */
  readonly resultsSent: number;
}

/** Stands in the place of an invoice that was voided before it was made. It has no number and is never shown. */
export interface Tombstone {
  readonly id: string;
  readonly isTombstone: true;
  readonly subscriptionId: string | undefined;
  readonly sessionId?: string | undefined;
  readonly customerId: string;
  readonly status: 'VOID';
  readonly currency: Currency;
}

/** What may stand under an invoice's id. */
export type InvoiceRecord = Invoice | Tombstone;

/** What an invoice is made from. */
export type NewInvoice = Pick<
  Invoice,
  | 'id'
  | 'subscriptionId'
  | 'customerId'
  | 'billingReason'
  | 'collectionMethod'
  | 'currency'
  | 'periodStart'
  | 'periodEnd'
  | 'authorizedTransactionId'
> & {
  readonly lineItems: readonly Omit<LineItem, 'discountAmount'>[];
  readonly session?: InvoiceSession | undefined;
  readonly discount?: DiscountOnInvoice | undefined;
};

/** SEND_INVOICE invoices fall due this long after they opened. */
const dueAfterMs = 30 * 24 * 60 * 60 * 1000;

/** A new invoice, without a number yet. The command that it carries gives it one and begins to collect it; a session opens its own. */
export function draft({ lineItems, discount, session, ...input }: NewInvoice): Transition<Invoice> {
  checkLineItems(lineItems);
  const state: Invoice = {
    ...input,
    ...discounted(lineItems, discount, input.currency),
    session,
    isTombstone: false,
    status: 'DRAFT',
    number: undefined,
    dueDate: undefined,
    paidAt: undefined,
    collectAt: undefined,
    retriesLeft: [],
    firstFailedAt: undefined,
    ended: undefined,
    givenUpAt: undefined,
    awaitsProviderSince: undefined,
    lastPaymentError: undefined,
    attempt: undefined,
    payments: [],
    resultsSent: 0,
  };
  const commands = session === undefined ? [{ type: 'openInvoice', payload: {} }] : [];
  return { state, events: [], commands };
}

/** What takes the place of an invoice that must never be made. */
export function tombstone(
  input: Omit<Tombstone, 'isTombstone' | 'status'>,
): Transition<InvoiceRecord> {
  return { state: { ...input, isTombstone: true, status: 'VOID' }, events: [], commands: [] };
}

/** The invoice numbered and owed; the caller decides in the same write how it is collected. */
export function open(
  invoice: Invoice,
  { number, now }: { readonly number: string | undefined; readonly now: Date },
): Invoice {
  if (invoice.status !== 'DRAFT') throw new Error(`Invoice ${invoice.id} was opened before`);
  if (number === undefined) throw new Error(`Invoice ${invoice.id} needs its number`);
  const isSent = invoice.collectionMethod === 'SEND_INVOICE' && invoice.session === undefined;
  return {
    ...invoice,
    status: 'OPEN',
    number,
    authorizedTransactionId: undefined,
    dueDate: isSent ? new Date(now.getTime() + dueAfterMs) : undefined,
  };
}

/** The invoice settled: by a successful payment, or because nothing was due. A session's becomes its subscription's in the same write. */
export function pay(invoice: Invoice, now: Date): Invoice {
  const { id, status } = invoice;
  if (!isOwed(invoice)) throw new Error(`Invoice ${id} is ${status}`);
  const paid: Invoice = {
    ...atRest(invoice),
    status: 'PAID',
    paidAt: now,
    lastPaymentError: undefined,
  };
  if (invoice.session === undefined) return paid;
  const { subscriptionId, paidPeriod } = invoice.session;
  const period = periodFrom(paidPeriod, now);
  const bounds = { periodStart: period?.start, periodEnd: period?.end };
  const lineItems = invoice.lineItems.map((line) => ({ ...line, ...bounds }));
  return { ...paid, subscriptionId, ...bounds, lineItems };
}

/** The invoice with nothing to come by itself. */
export function atRest(invoice: Invoice): Invoice {
  return { ...invoice, collectAt: undefined, retriesLeft: [], awaitsProviderSince: undefined };
}

/** Whether the invoice can still be paid: also one that was given up, by a customer who wants to. */
export function isOwed(record: InvoiceRecord): record is Invoice {
  return !record.isTombstone && (record.status === 'OPEN' || record.status === 'UNCOLLECTIBLE');
}

/**
 * Voids an invoice that is still owed; one that is PAID or VOID stays as it is. Needs an empty slot, because an attempt that runs may yet
 * succeed. A DRAFT is numbered by the very same write, so that the number it may have taken does not burn; an attempt that was to come
 * by itself is dropped.
 */
export function voidInvoice(
  record: InvoiceRecord,
  { number, now }: { number: string | undefined; now: Date },
): Transition<InvoiceRecord> {
  if (record.status !== 'DRAFT' && record.status !== 'OPEN') return unchanged(record);
  if (record.attempt !== undefined) throw paymentInProgress();
  const opened = record.status === 'DRAFT' ? open(record, { number, now }) : record;
  return {
    state: { ...atRest(opened), status: 'VOID' },
    events: [],
    commands: [],
  };
}

/** Whoever is refused the slot may try again soon. */
export function paymentInProgress(): DomainError {
  const message = 'A payment of the invoice is in progress';
  return new DomainError('failed_precondition', 'PAYMENT_IN_PROGRESS', message);
}

/** An id is derived from its holder, a subscription or a session, so one that another holds is a bug. */
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

/** The session whose invoice it is; undefined: of none. */
export function sessionIdOf(record: InvoiceRecord): string | undefined {
  return record.isTombstone ? record.sessionId : record.session?.sessionId;
}

interface Amounts {
  readonly lineItems: readonly Pick<LineItem, 'amount'>[];
}

/** Σ of the lines. */
export function subtotalOf({ lineItems }: Amounts): bigint {
  return lineItems.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Σ of what is taken off. */
export function discountAmountOf({ discounts }: Pick<Invoice, 'discounts'>): bigint {
  return discounts.reduce((sum, { amount }) => sum + amount, 0n);
}

/** What is owed in all: there are no taxes. */
export function totalOf(invoice: Amounts & Pick<Invoice, 'discounts'>): bigint {
  return subtotalOf(invoice) - discountAmountOf(invoice);
}

/** What an invoice that is not made yet will come to. */
export function totalOfNew({
  lineItems,
  discount,
  currency,
}: Amounts & Pick<NewInvoice, 'discount' | 'currency'>): bigint {
  return totalOf(discounted(lineItems, discount, currency));
}

/** Σ of the successful payments. */
export function amountPaid({ payments }: Pick<Invoice, 'payments'>): bigint {
  return payments
    .filter(({ status }) => status === 'SUCCEEDED')
    .reduce((sum, { amount }) => sum + amount, 0n);
}

/** Whether the attempt moved no money: it only showed that the method can be charged later. */
export function isVerification({ amount }: Pick<Payment, 'amount'>): boolean {
  return amount === 0n;
}

/** What is still owed. */
export function amountDue(invoice: Invoice): bigint {
  return invoice.status === 'OPEN' ? totalOf(invoice) - amountPaid(invoice) : 0n;
}

function checkLineItems(lineItems: readonly Pick<LineItem, 'amount'>[]): void {
  if (lineItems.length === 0) throw invalidInput({ lineItems: ['Required'] });
  for (const { amount } of lineItems) parseAmount(amount < 0n ? -amount : amount, 'lineItems');
  const sum = lineItems.reduce((total, { amount }) => total + amount, 0n);
  if (!isAmount(sum)) {
    throw invalidInput({ lineItems: [`Must sum to 0 to ${AMOUNT_MAX.toString()}`] });
  }
}

function discounted<Line extends Pick<LineItem, 'amount'>>(
  lineItems: readonly Line[],
  discount: DiscountOnInvoice | undefined,
  currency: Currency,
): Pick<Invoice, 'discounts'> & { lineItems: (Line & Pick<LineItem, 'discountAmount'>)[] } {
  if (discount === undefined) {
    return { lineItems: lineItems.map((line) => ({ ...line, discountAmount: 0n })), discounts: [] };
  }
  const amounts = lineItems.map((line) => line.amount);
  const { amount, parts } = discountLines(discount, { currency, amounts });
  const { discountId, name } = discount;
  return {
    lineItems: lineItems.map((line, index) => ({ ...line, discountAmount: parts[index] ?? 0n })),
    discounts: [{ discountId, name, amount }],
  };
}
