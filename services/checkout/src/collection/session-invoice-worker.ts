import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import type { Currency } from '@billing/kernel/currency';
import { DomainError } from '@billing/kernel/domain-error';
import { only } from '@billing/kernel/transition';
import type { AttemptWorker } from './attempt-worker';
import { attemptOfCall, settle } from '../invoice/collection';
import { type BuyerChange, changeBuyer } from './buyer-change';
import type { CollectionWorker } from './collection-worker';
import { draft, type NewInvoice } from '../draft/draft';
import {
  checkHolder,
  type Invoice,
  type InvoiceRecord,
  open,
  type Payment,
} from '../invoice/invoice';
import type { InvoiceNumberStore } from '../invoice/number/invoice-number-store';
import type { ChallengeAnswer, PaymentWorker } from './payment-worker';
import type { NewSessionInvoice, SessionCharge } from './session-invoice';

type Context = Pick<CallContext, 'tenant' | 'now' | 'storing'>;

/** State of a payment. */
export type SessionPayment = { readonly invoice: Stored<Invoice> } & (
  | { readonly kind: 'PAID' }
  | { readonly kind: 'FAILED'; readonly failureCode: string; readonly at: Date }
  /** The payer must answer; without `redirectUrl` we show the challenge. */
  | { readonly kind: 'WAITING'; readonly attempt: number; readonly redirectUrl: string | undefined }
  /** Another attempt runs, or the provider's answer is unknown: the worker resumes within 30 s. */
  | { readonly kind: 'IN_PROGRESS' }
  /** Another amount than the expected one is due: nothing was charged. */
  | { readonly kind: 'AMOUNT_CHANGED' }
  /** VOID: nothing was charged. */
  | { readonly kind: 'NOT_OPEN' }
);

/**
 * Invoices of sessions. They have no automatic attempts, and their subscriptions get no results.
 * Every call can be retried.
 */
export interface SessionInvoices {
  /**
   * Creates the invoice, numbered and OPEN, also if nothing is due. Its number is taken first, so
   * the invoice must follow: the call is retried until it does, even for a session that has ended
   * since, whose invoice is voided only then. Returns the record under the id.
   */
  open(invoice: NewSessionInvoice, context: Context): Promise<Stored<InvoiceRecord>>;
  /** The invoice as it would be created, without a number. Stores nothing. */
  quote(invoice: NewSessionInvoice, context: Context): Invoice;
  /**
   * Makes one attempt with the payer present, in the invoice's slot, for the expected amount. If
   * nothing is due, it verifies the method. A waiting challenge of another key is canceled first;
   * if it had already succeeded, the answer is PAID. Continues when the caller disconnects.
   */
  pay(charge: SessionCharge, context: Context): Promise<SessionPayment>;
  /**
   * Takes what the payer typed about the buyer and computes the taxes again, unless a payment runs
   * or has paid the invoice. Throws invalid_input under the names of the page's fields.
   */
  changeBuyer(
    change: Omit<BuyerChange, 'now'> & { readonly invoiceId: string },
    context: Context,
  ): Promise<Stored<InvoiceRecord>>;
  /**
   * Continues the attempt that waits; a different attempt stays as it is, and its state is
   * returned.
   */
  answerChallenge(
    answer: {
      readonly invoiceId: string;
      readonly attempt: number;
      readonly approved: boolean | undefined;
    },
    context: Context,
  ): Promise<SessionPayment>;
  /**
   * Settles the invoice with a payment that is recorded as failed, if the provider says that it has
   * succeeded; the session is held for that. FAILED if it has not succeeded.
   */
  settleLate(
    late: { readonly invoiceId: string; readonly number: number },
    context: Context,
  ): Promise<SessionPayment>;
  /** State of the invoice's payment; changes nothing. */
  read(invoiceId: string, context: Context): Promise<SessionPayment>;
  /**
   * Cancels an attempt that waits for its payer, e.g. before the session expires; PAID if it had
   * already succeeded.
   */
  cancelChallenge(invoiceId: string, context: Context): Promise<Stored<InvoiceRecord>>;
  /**
   * Pays an invoice with nothing due, on the payer's confirmation alone. An amount due is a bug.
   */
  settle(invoiceId: string, context: Context): Promise<SessionPayment>;
  /**
   * Voids the invoice, or inserts a tombstone in its place. A challenge is canceled first. A PAID
   * invoice is returned unchanged; a running attempt throws failed_precondition
   * PAYMENT_IN_PROGRESS.
   */
  void(
    holder: {
      readonly invoiceId: string;
      readonly sessionId: string;
      readonly customerId: string;
      readonly currency: Currency;
    },
    context: Context,
  ): Promise<Stored<InvoiceRecord>>;
}

/** Sessions, as invoices notify them. */
export interface SessionListener {
  /**
   * Notification of a session by a command of its invoice, whenever an attempt has ended or the
   * invoice was settled, by the payer, the resuming worker, or a provider's event. Retried until it
   * resolves; the receiver reads the invoice.
   */
  invoiceChanged(
    news: { readonly sessionId: string; readonly invoiceId: string },
    context: CallContext,
  ): Promise<void>;
  /**
   * Keeps a session from ending while its invoice is settled with a payment that is recorded as
   * failed; returns false if the session has ended. Throws PAYMENT_IN_PROGRESS while another
   * payment runs. A worker that resumes the hold settles the invoice, so the session is held until
   * the settlement has an outcome.
   */
  holdForLatePayment(
    held: {
      readonly sessionId: string;
      /** A session whose invoice was replaced counts as ended. */
      readonly invoiceId: string;
      readonly payment: Payment;
    },
    context: Context,
  ): Promise<boolean>;
}

/**
 * Opens, charges and voids the invoices of sessions, through the same slot as all other attempts.
 */
export class SessionInvoiceWorker implements SessionInvoices {
  constructor(
    private readonly dependencies: {
      readonly invoices: AggregateCollection<InvoiceRecord>;
      readonly numbers: InvoiceNumberStore;
      readonly collection: CollectionWorker;
      readonly payments: PaymentWorker;
      readonly attempts: AttemptWorker;
    },
  ) {}

  async open(invoice: NewSessionInvoice, context: Context): Promise<Stored<InvoiceRecord>> {
    const { invoiceId, sessionId } = invoice;
    const { tenant, now } = context;
    // Validated before a number is taken: an invalid invoice must not hold a number.
    const state = this.quote(invoice, context);
    // No DRAFT has to record the number: the session's command does, and a retry gets the same
    // number.
    const number = await this.dependencies.numbers.take({
      environmentId: tenant.environmentId,
      invoiceId,
      prefix: state.finalization?.invoicePrefix,
    });
    const { stored } = await this.invoices(context).insert(only(open(state, { number, now })));
    checkHolder(stored.state, { sessionId });
    // Sessions of earlier releases left their invoice as a DRAFT.
    return stored.state.status === 'DRAFT'
      ? this.dependencies.collection.open(invoiceId, context)
      : stored;
  }

  quote(invoice: NewSessionInvoice, context: Context): Invoice {
    return draft(toNewInvoice(invoice, context)).state;
  }

  async pay(
    { invoiceId, paymentKey: callId, paymentMethodId, ...presence }: SessionCharge,
    context: Context,
  ): Promise<SessionPayment> {
    const found = await this.invoices(context).get(invoiceId);
    if (found.state.status !== 'OPEN' || isBusy(found.state, callId)) {
      return paymentOf(found, attemptOfKey(found.state, callId));
    }
    const source = { kind: 'METHOD', paymentMethodId } as const;
    const payment = { invoiceId, source };
    const payer = { ...presence, callId };
    const paid = await unlessAmountChanged(this.dependencies.payments.pay(payment, payer, context));
    if (paid === undefined) return this.afterAmountChange(invoiceId, context);
    const { state } = paid;
    const attempt = attemptOfKey(state, callId);
    const isStarted = attempt !== undefined || state.isTombstone || state.attempt !== undefined;
    return isStarted ? paymentOf(paid, attempt) : notStarted(paid);
  }

  changeBuyer(
    { invoiceId, ...change }: Parameters<SessionInvoices['changeBuyer']>[0],
    context: Context,
  ): Promise<Stored<InvoiceRecord>> {
    return this.invoices(context).mutate(invoiceId, (record, now) =>
      changeBuyer(record, { ...change, now }),
    );
  }

  async answerChallenge(answer: ChallengeAnswer, context: Context): Promise<SessionPayment> {
    const stored = await this.dependencies.payments.answerChallenge(answer, context);
    return paymentOf(stored, answer.attempt);
  }

  async settleLate(
    { invoiceId, number }: Parameters<SessionInvoices['settleLate']>[0],
    context: Context,
  ): Promise<SessionPayment> {
    const stored = await this.invoices(context).get(invoiceId);
    const { state } = stored;
    const ended = state.isTombstone ? [] : state.payments;
    const payment = ended.find((each) => each.number === number);
    if (payment?.status === 'FAILED') {
      const late = { payment, holdSession: () => Promise.resolve(true) };
      await this.dependencies.payments.settleLate(stored, late, context);
    }
    return notStarted(await this.invoices(context).get(invoiceId));
  }

  async read(invoiceId: string, context: Context): Promise<SessionPayment> {
    return paymentOf(await this.invoices(context).get(invoiceId), undefined);
  }

  async cancelChallenge(invoiceId: string, context: Context): Promise<Stored<InvoiceRecord>> {
    const stored = await this.invoices(context).get(invoiceId);
    return this.dependencies.attempts.release(stored, context);
  }

  async settle(invoiceId: string, context: Context): Promise<SessionPayment> {
    return paymentOf(await this.invoices(context).mutate(invoiceId, settle), undefined);
  }

  void(
    { invoiceId: id, ...holder }: Parameters<SessionInvoices['void']>[0],
    context: Context,
  ): Promise<Stored<InvoiceRecord>> {
    const tombstone = { id, ...holder, subscriptionId: undefined };
    return this.dependencies.collection.voidDerived(tombstone, context);
  }

  private async afterAmountChange(invoiceId: string, context: Context): Promise<SessionPayment> {
    const payment = paymentOf(await this.invoices(context).get(invoiceId), undefined);
    return payment.kind === 'IN_PROGRESS' ? { ...payment, kind: 'AMOUNT_CHANGED' } : payment;
  }

  private invoices(context: Context) {
    return this.dependencies.invoices.within(context);
  }
}

function toNewInvoice(invoice: NewSessionInvoice, { tenant }: Context): NewInvoice {
  const { invoiceId: id, sessionId, subscriptionId, paidPeriod, lineItems, ...rest } = invoice;
  return {
    ...rest,
    id,
    session: { sessionId, subscriptionId, paidPeriod },
    subscriptionId: undefined,
    billingReason: 'CHECKOUT',
    periodStart: undefined,
    periodEnd: undefined,
    authorizedTransactionId: undefined,
    lineItems: lineItems.map((line, index) => ({
      ...line,
      id: derivedId(tenant.environmentId, 'lineItem', id, index),
      periodStart: undefined,
      periodEnd: undefined,
    })),
  };
}

/** Undefined if another amount is due than the payer was shown. */
async function unlessAmountChanged<T>(payment: Promise<T>): Promise<T | undefined> {
  try {
    return await payment;
  } catch (error) {
    if (error instanceof DomainError && error.reason === 'AMOUNT_CHANGED') return undefined;
    throw error;
  }
}

function attemptOfKey(record: InvoiceRecord, key: string): number | undefined {
  return record.isTombstone ? undefined : attemptOfCall(record, key);
}

// Another payment is running, so this one was not begun.
function isBusy(record: InvoiceRecord, key: string): boolean {
  if (record.isTombstone || record.attempt?.status !== 'PENDING') return false;
  return record.attempt.callId !== key;
}

// No attempt was made, e.g. without a configured provider. The payer gets a failed payment, and the
// session does not wait.
function notStarted(stored: Stored<InvoiceRecord>): SessionPayment {
  const payment = paymentOf(stored, undefined);
  if (payment.kind !== 'IN_PROGRESS') return payment;
  const { invoice } = payment;
  const { lastPaymentError } = invoice.state;
  if (lastPaymentError === undefined) return payment;
  const { code: failureCode, at } = lastPaymentError;
  return { kind: 'FAILED', failureCode, at, invoice };
}

function paymentOf(
  stored: Stored<InvoiceRecord>,
  attemptNumber: number | undefined,
): SessionPayment {
  const { state } = stored;
  if (state.isTombstone) throw new Error(`Invoice ${state.id} is a tombstone`);
  const invoice = { ...stored, state };
  if (state.status === 'PAID') return { kind: 'PAID', invoice };
  if (state.status !== 'OPEN') return { kind: 'NOT_OPEN', invoice };
  return { ...openPayment(state, attemptNumber), invoice };
}

type OpenPayment =
  | { readonly kind: 'FAILED'; readonly failureCode: string; readonly at: Date }
  | { readonly kind: 'WAITING'; readonly attempt: number; readonly redirectUrl: string | undefined }
  | { readonly kind: 'IN_PROGRESS' };

function openPayment(
  { attempt, payments }: Invoice,
  attemptNumber: number | undefined,
): OpenPayment {
  const ended = payments.find(({ number }) => number === attemptNumber);
  if (ended?.failureCode !== undefined) {
    return { kind: 'FAILED', failureCode: ended.failureCode, at: ended.endedAt };
  }
  if (attempt?.status === 'REQUIRES_ACTION' && attempt.number === attemptNumber) {
    return { kind: 'WAITING', attempt: attempt.number, redirectUrl: attempt.redirectUrl };
  }
  return { kind: 'IN_PROGRESS' };
}
