import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import { receivedAtProblems } from '@billing/kernel/input/recorded-payment';
import { refuseProblems } from '@billing/kernel/input-problems';
import type { BalanceStore } from '../balance/balance-store';
import { attemptOfCall } from '../invoice/collection';
import { type Invoice, type InvoiceRecord, paymentInProgress } from '../invoice/invoice';
import {
  balanceTooLow,
  checkRecordable,
  claimBalance,
  recordExternal,
  type Recording,
} from '../invoice/recorded-payment';
import { paymentIdOf } from '../invoice/payment-id-store';
import type { PaymentMethodStore } from '../payment-method/store';
import { waitForEffect } from '../provider/wait-for-effect';
import { type AttemptWorker, finishForCaller } from './attempt-worker';

type Context = Pick<CallContext, 'tenant' | 'now' | 'resourceSeed' | 'storing'>;
type Call = Context & Pick<CallContext, 'deadline'>;

export interface RecordedPaymentDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly methods: Pick<PaymentMethodStore, 'choiceFor'>;
  readonly balances: Pick<BalanceStore, 'amountOf' | 'pay' | 'credit'>;
  readonly attempts: AttemptWorker;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

/** Payment as a caller gives it. */
export interface NewRecordedPayment extends Pick<Recording, 'amount' | 'isCustomerDeleted'> {
  readonly invoiceId: string;
  readonly details: Omit<Recording['details'], 'receivedAt'> & {
    readonly receivedAt: Date | undefined;
  };
}

/** The invoice after a payment was recorded, and the number of the payment. */
export interface PaymentRecorded {
  readonly stored: Stored<InvoiceRecord>;
  readonly number: number;
}

/** Records the payments that callers received elsewhere, and takes payments from balances. */
export class RecordedPaymentWorker {
  constructor(private readonly dependencies: RecordedPaymentDependencies) {}

  /**
   * Records a payment. A challenge that waits for its payer is canceled first; if it had already
   * succeeded, its charge is the payment. A retried call finds its own payment.
   */
  async record(payment: NewRecordedPayment, context: Call): Promise<PaymentRecorded> {
    const { invoiceId, amount } = payment;
    const stored = await this.dependencies.invoices.within(context).get(invoiceId);
    const { state } = stored;
    const details = { ...payment.details, receivedAt: payment.details.receivedAt ?? context.now };
    if (state.isTombstone || attemptOfCall(state, context.resourceSeed) === undefined) {
      // Wrong input is refused before the state of the invoice.
      if (!state.isTombstone) checkReceived(details.receivedAt, context.now);
      checkRecordable(state);
    }
    const methods = await this.methodsOf(state, context);
    const { isCustomerDeleted } = payment;
    const facts = { callId: context.resourceSeed, methods, isCustomerDeleted };
    const recording = { ...facts, amount, details };
    return details.method === 'BALANCE'
      ? this.takeFromBalance(stored, recording, context)
      : this.recordExternal(stored, recording, context);
  }

  /** Credits what a payment has paid beyond the outstanding amount to the customer's balance. */
  async creditOverpayment(
    record: InvoiceRecord,
    paymentId: string,
    context: Context,
  ): Promise<void> {
    if (record.isTombstone) throw new Error(`Invoice ${record.id} has no payments`);
    const payment = record.payments.find(({ id }) => id === paymentId);
    if (payment === undefined) throw new Error(`Invoice ${record.id} has no such payment`);
    const { overpayment } = payment;
    await this.dependencies.balances.credit(record, { paymentId, overpayment }, context);
  }

  private async recordExternal(
    stored: Stored<InvoiceRecord>,
    recording: Omit<Recording, 'now'>,
    context: Call,
  ): Promise<PaymentRecorded> {
    const { id } = stored.state;
    await this.freeSlot(stored, recording, context);
    const recorded = await this.dependencies.invoices.within(context).mutate(id, (record, now) =>
      recordExternal(record, {
        ...recording,
        now,
        paymentIdOf: (attemptNumber) => paymentIdOf({ id, attemptNumber }, context.tenant),
      }),
    );
    const number = numberOf(recorded.state, recording);
    const payment = paymentsOf(recorded.state).find((each) => each.number === number);
    // For the caller to find the entry right after the call. The payment is stored, so a failure is
    // left to its command, which does the same.
    if (payment !== undefined && payment.overpayment > 0n) {
      const credit = this.creditOverpayment(recorded.state, payment.id, context);
      await waitForEffect(credit, context, this.dependencies.clock);
    }
    return { stored: recorded, number };
  }

  private async takeFromBalance(
    stored: Stored<InvoiceRecord>,
    recording: Omit<Recording, 'now'>,
    context: Context,
  ): Promise<PaymentRecorded> {
    const { invoices, balances, clock } = this.dependencies;
    const { state } = stored;
    const balance = await balances.amountOf(asInvoice(state), context);
    const facts = { ...recording, balance, claimedAt: clock.now() };
    // Refuses what would be refused anyway before a challenge is canceled.
    claimBalance(withoutChallenge(state), { ...facts, now: context.now });
    await this.freeSlot(stored, recording, context);
    let isNew = false as boolean;
    const claimed = await invoices.within(context).mutate(state.id, (record, now) => {
      const transition = claimBalance(record, { ...facts, now });
      isNew = transition.state !== record;
      return transition;
    });
    const number = numberOf(claimed.state, recording);
    const finished = await finishForCaller(claimed, { isNew }, context, this.dependencies);
    const payment = paymentsOf(finished.state).find((each) => each.number === number);
    if (payment?.status === 'FAILED') throw balanceTooLow();
    return { stored: finished, number };
  }

  private async freeSlot(
    stored: Stored<InvoiceRecord>,
    recording: Pick<Recording, 'callId'>,
    context: Context,
  ): Promise<void> {
    const { state } = stored;
    if (state.isTombstone || attemptOfCall(state, recording.callId) !== undefined) return;
    if (state.attempt?.status === 'PENDING') throw paymentInProgress();
    await this.dependencies.attempts.release(stored, context);
  }

  // Only dunning depends on them.
  private async methodsOf(record: InvoiceRecord, context: Context) {
    const isDunned = !record.isTombstone && record.firstFailedAt !== undefined;
    return isDunned
      ? this.dependencies.methods.choiceFor(record, context)
      : { methodId: undefined };
  }
}

function checkReceived(receivedAt: Date, now: Date): void {
  refuseProblems({ receivedAt: receivedAtProblems(receivedAt, now) });
}

function withoutChallenge(record: InvoiceRecord): InvoiceRecord {
  if (record.isTombstone || record.attempt?.status !== 'REQUIRES_ACTION') return record;
  return { ...record, attempt: undefined };
}

function asInvoice(record: InvoiceRecord): Invoice {
  if (record.isTombstone) throw new Error(`Invoice ${record.id} was checked`);
  return record;
}

function paymentsOf(record: InvoiceRecord): Invoice['payments'] {
  return record.isTombstone ? [] : record.payments;
}

// A call without an id of its own made the latest attempt of the state that its write returned.
function numberOf(record: InvoiceRecord, { callId }: Pick<Recording, 'callId'>): number {
  const invoice = asInvoice(record);
  const latest = invoice.attempt?.number ?? invoice.payments.at(-1)?.number;
  const number = attemptOfCall(invoice, callId) ?? latest;
  if (number === undefined) throw new Error(`Invoice ${invoice.id} has no payment`);
  return number;
}
