import type { Currency } from '@billing/kernel/currency';
import { DomainError, invalidInput } from '@billing/kernel/domain-error';
import { addMoney, AMOUNT_MAX, type Money, money, parseAmount } from '@billing/kernel/money';
import { type Transition, unchanged } from '@billing/kernel/transition';
import type { ChargeSource } from './payment-provider';

export type InvoiceStatus = 'DRAFT' | 'OPEN' | 'PAID' | 'VOID' | 'UNCOLLECTIBLE';
export type BillingReason =
  'CHECKOUT' | 'SUBSCRIPTION_CREATE' | 'SUBSCRIPTION_CYCLE' | 'SUBSCRIPTION_CANCEL';
export type CollectionMethod = 'CHARGE_AUTOMATICALLY' | 'SEND_INVOICE';

/** One charge on an invoice; `amount` in the currency's smallest unit. */
export interface LineItem {
  readonly id: string;
  readonly description: string;
  /** Decimal string, in units. */
  readonly quantity: string;
  /** Rate, a decimal string; absent where tiers decide. */
  readonly unitAmount: string | undefined;
  readonly amount: bigint;
  readonly priceId: string | undefined;
  readonly periodStart: Date;
  readonly periodEnd: Date;
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

/** One finished attempt to collect an invoice. */
export interface Payment {
  readonly id: string;
  readonly amount: bigint;
  /** The adapter's name; `none` where no provider was asked. */
  readonly provider: string;
  readonly providerPaymentId: string | undefined;
  readonly status: 'SUCCEEDED' | 'FAILED';
  readonly failureCode: string | undefined;
  readonly createdAt: Date;
}

/** The attempt that is under way, in the invoice's only slot. It charges one source under one key, however often it is resumed. */
export interface Attempt {
  /** Which attempt at this invoice, from 1. */
  readonly number: number;
  readonly source: ChargeSource;
  /** Real time; from it follows when another worker may take the attempt up. */
  readonly claimedAt: Date;
}

/** What a customer owes for one period. */
export interface Invoice {
  readonly id: string;
  readonly isTombstone: false;
  readonly subscriptionId: string;
  readonly customerId: string;
  readonly status: InvoiceStatus;
  /** `INV-000001`; every invoice has one once it is no longer a DRAFT. */
  readonly number: string | undefined;
  readonly collectionMethod: CollectionMethod;
  readonly billingReason: BillingReason;
  readonly currency: Currency;
  readonly periodStart: Date;
  readonly periodEnd: Date;
  readonly lineItems: readonly LineItem[];
  /** What the first attempt shall capture; gone once the invoice is open. */
  readonly authorizedTransactionId: string | undefined;
  readonly dueDate: Date | undefined;
  readonly paidAt: Date | undefined;
  /** Business time of the next attempt that nobody has to ask for. */
  readonly collectAt: Date | undefined;
  readonly attempt: Attempt | undefined;
  readonly payments: readonly Payment[];
  /** How many results the subscription has been sent. */
  readonly resultsSent: number;
}

/** Stands in the place of an invoice that was voided before it was made. It has no number and is never shown. */
export interface Tombstone {
  readonly id: string;
  readonly isTombstone: true;
  readonly subscriptionId: string;
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
  | 'lineItems'
  | 'authorizedTransactionId'
>;

/** SEND_INVOICE invoices fall due this long after they opened. */
const dueAfterMs = 30 * 24 * 60 * 60 * 1000;

/** A new invoice, without a number yet. The command that it carries gives it one and begins to collect it. */
export function draft(input: NewInvoice): Transition<Invoice> {
  checkLineItems(input.lineItems);
  const state: Invoice = {
    ...input,
    isTombstone: false,
    status: 'DRAFT',
    number: undefined,
    dueDate: undefined,
    paidAt: undefined,
    collectAt: undefined,
    attempt: undefined,
    payments: [],
    resultsSent: 0,
  };
  return { state, events: [], commands: [{ type: 'openInvoice', payload: {} }] };
}

/** What takes the place of an invoice that must never be made. */
export function tombstone(
  input: Omit<Tombstone, 'isTombstone' | 'status'>,
): Transition<InvoiceRecord> {
  return { state: { ...input, isTombstone: true, status: 'VOID' }, events: [], commands: [] };
}

/** The invoice numbered and owed; the caller decides in the same write how it is collected. */
export function open(invoice: Invoice, { number, now }: { number: string; now: Date }): Invoice {
  if (invoice.status !== 'DRAFT') throw new Error(`Invoice ${invoice.id} was opened before`);
  const isSent = invoice.collectionMethod === 'SEND_INVOICE';
  return {
    ...invoice,
    status: 'OPEN',
    number,
    authorizedTransactionId: undefined,
    dueDate: isSent ? new Date(now.getTime() + dueAfterMs) : undefined,
  };
}

/** The invoice settled: by a successful payment, or because nothing was due. */
export function pay(invoice: Invoice, now: Date): Invoice {
  if (invoice.status !== 'OPEN') throw new Error(`Invoice ${invoice.id} is ${invoice.status}`);
  return { ...invoice, status: 'PAID', paidAt: now, collectAt: undefined };
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
  if (record.attempt !== undefined) {
    const message = 'A payment of the invoice is in progress';
    throw new DomainError('failed_precondition', 'PAYMENT_IN_PROGRESS', message);
  }
  const opened =
    record.status === 'DRAFT' ? open(record, { number: required(number), now }) : record;
  return {
    state: { ...opened, status: 'VOID', collectAt: undefined },
    events: [],
    commands: [],
  };
}

/** An id is derived from its subscription, so one that is held by another subscription is a bug. */
export function checkHolder(
  record: InvoiceRecord,
  { subscriptionId }: Pick<InvoiceRecord, 'subscriptionId'>,
): void {
  if (record.subscriptionId !== subscriptionId) {
    throw new Error(`Invoice ${record.id} is not of subscription ${subscriptionId}`);
  }
}

/** Σ of the lines, which is also the total: there are no discounts and no taxes. */
export function totalOf({ lineItems, currency }: Pick<Invoice, 'lineItems' | 'currency'>): bigint {
  const nothing: Money = money(0n, currency);
  return lineItems.reduce((sum, line) => addMoney(sum, money(line.amount, currency)), nothing)
    .amount;
}

/** Σ of the successful payments. */
export function amountPaid({ payments }: Pick<Invoice, 'payments'>): bigint {
  return payments
    .filter(({ status }) => status === 'SUCCEEDED')
    .reduce((sum, { amount }) => sum + amount, 0n);
}

/** What is still owed. */
export function amountDue(invoice: Invoice): bigint {
  return invoice.status === 'OPEN' ? totalOf(invoice) - amountPaid(invoice) : 0n;
}

function checkLineItems(lineItems: readonly LineItem[]): void {
  if (lineItems.length === 0) throw invalidInput({ lineItems: ['Required'] });
  for (const { amount } of lineItems) parseAmount(amount, 'lineItems');
  const sum = lineItems.reduce((total, { amount }) => total + amount, 0n);
  if (sum > AMOUNT_MAX) {
    throw invalidInput({ lineItems: [`Must not sum to more than ${AMOUNT_MAX.toString()}`] });
  }
}

function required(number: string | undefined): string {
  if (number === undefined) throw new Error('A DRAFT needs its number before it is voided');
  return number;
}
