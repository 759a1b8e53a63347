import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { type CallContext, type Tenant, waitAtMost } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { atBoundary } from '@billing/chassis/failpoint';
import { derivedId } from '@billing/chassis/ids';
import { withinTime } from '@billing/chassis/within-time';
import { DomainError, notFound } from '@billing/kernel/domain-error';
import type { BalanceStore } from '../balance/balance-store';
import { chargeKey } from '../invoice/attempt';
import type { Refund } from '../invoice/credit/credit';
import type { Invoice, InvoiceRecord, Payment } from '../invoice/invoice';
import { isCharge } from '../invoice/refundable';
import type { PaymentProvider } from '../provider/port/payment-provider';
import type { RefundOutcome } from '../provider/port/refund';
import { waitForEffect } from '../provider/wait-for-effect';
import type { CreditRowStore } from './credit-row-store';
import { recordDispute } from './dispute';
import {
  findRefund,
  recordListed,
  recordRefund,
  refundKey,
  refundOverpayment,
  settleRefund,
  type Settlement,
  takeOverRefunds,
} from './refund';
import type { IsCustomerDeleted } from '../peer/customer';

type Context = Pick<CallContext, 'tenant' | 'now'>;

export interface RefundDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly rows: CreditRowStore;
  readonly balances: Pick<BalanceStore, 'credit' | 'replaceRefund'>;
  readonly isCustomerDeleted: IsCustomerDeleted;
  readonly providerOf: (tenant: Tenant) => PaymentProvider;
  readonly clock: Clock;
  /** True while no new refund may be made; see AttemptDependencies. */
  readonly areChargesHeld?: () => boolean;
  /** Called for a refund whose outcome is not known yet; a worker repeats it. */
  readonly onUnknown: (error: unknown, invoiceId: string) => void;
  /** Called for a dispute of a payment that the invoice does not have. */
  readonly onUnknownDispute: (providerDisputeId: string, invoiceId: string) => void;
}

/** A caller waits this long for the first try of its refunds. */
export const refundWaitMsMax = 8_000;

/**
 * Sends refunds to their providers and records the outcomes. Every step can be retried, also by
 * several replicas in parallel: a refund is unique by its key, and the record is a compare-and-set.
 */
export class RefundWorker {
  constructor(private readonly dependencies: RefundDependencies) {}

  /**
   * Tries the refunds of an invoice that no other worker has begun. An outcome that is
   * unknown, or not known in time, is left to the worker that resumes the refund. Returns the
   * current invoice.
   */
  async sendNew(
    stored: Stored<InvoiceRecord>,
    {
      isNew,
      until,
    }: {
      readonly isNew: (refund: Refund) => boolean;
      /** Real time. */
      readonly until: Date;
    },
    context: Context,
  ): Promise<Stored<InvoiceRecord>> {
    const { state } = stored;
    if (state.isTombstone) return stored;
    try {
      const msLeft = until.getTime() - this.dependencies.clock.now().getTime();
      const sending = this.sendAll(stored, state.refunds.filter(isNew), context);
      return await withinTime(msLeft, sending);
    } catch (error) {
      this.dependencies.onUnknown(error, state.id);
      // The caller's write is stored, so that a failed read must not become the answer.
      return this.invoices(context)
        .get(state.id)
        .catch(() => stored);
    }
  }

  /** Resumes refunds whose lease has expired, unless another worker has just done so. */
  async resume(invoiceId: string, context: Context): Promise<void> {
    const realNow = this.dependencies.clock.now();
    // A write that loses its race decides again, so the last decision counts.
    let isTakenOver = false as boolean;
    const stored = await this.invoices(context).mutate(invoiceId, (record) => {
      const transition = takeOverRefunds(record, realNow);
      isTakenOver = transition.state !== record;
      return transition;
    });
    if (!isTakenOver || stored.state.isTombstone) return;
    const taken = stored.state.refunds.filter(
      ({ claimedAt }) => claimedAt?.getTime() === realNow.getTime(),
    );
    await this.sendAll(stored, taken, context);
  }

  /** Asks the provider for refunds in progress that are due to be looked at. */
  async lookWhenDue(invoiceId: string, context: Context): Promise<void> {
    const stored = await this.invoices(context).get(invoiceId);
    if (stored.state.isTombstone) return;
    const due = stored.state.refunds.filter(
      ({ lookAt }) => lookAt !== undefined && lookAt <= context.now,
    );
    await this.sendAll(stored, due, context);
  }

  /**
   * Reads all refunds of a payment at its provider, after one of the provider's events: also those
   * that were made there, and those that a bank has returned.
   */
  async checkAtProvider(
    invoiceId: string,
    providerPaymentId: string,
    context: Context,
  ): Promise<void> {
    const { state } = await this.invoices(context).get(invoiceId);
    if (state.isTombstone) return;
    const payment = state.payments.find((one) => one.providerPaymentId === providerPaymentId);
    if (payment?.status !== 'SUCCEEDED') return;
    const provider = this.providerOf(payment, context);
    const found = await provider.listRefunds({ ...chargeOf(state, payment), now: context.now });
    const { environmentId } = context.tenant;
    const idOf = (id: string) => derivedId(environmentId, 'refund', provider.name, id);
    const stored = await this.invoices(context).mutate(invoiceId, (record, now) =>
      recordListed(record, { payment, found, idOf, now }),
    );
    await this.copyRows(stored);
  }

  /**
   * Reads a dispute at its provider, after one of the provider's events. One of an unknown payment
   * is dropped.
   */
  async checkDispute(
    invoiceId: string,
    providerDisputeId: string,
    context: Context,
  ): Promise<void> {
    const { now, tenant } = context;
    const provider = this.dependencies.providerOf(tenant);
    const found = await provider.findDispute({ providerDisputeId, now });
    if (found === undefined) return;
    const { state } = await this.invoices(context).get(invoiceId);
    const { providerPaymentId } = found;
    const payment = state.isTombstone
      ? undefined
      : state.payments.find((one) => one.providerPaymentId === providerPaymentId);
    if (payment === undefined) {
      this.dependencies.onUnknownDispute(providerDisputeId, invoiceId);
      return;
    }
    const id = derivedId(tenant.environmentId, 'dispute', provider.name, providerDisputeId);
    const stored = await atBoundary('dispute', 'record', () =>
      this.invoices(context).mutate(invoiceId, (record, at) =>
        recordDispute(record, { id, payment, found, now: at }),
      ),
    );
    await this.copyRows(stored);
  }

  private async isCustomerDeleted(invoiceId: string, context: CallContext): Promise<boolean> {
    const { customerId } = (await this.invoices(context).get(invoiceId)).state;
    return this.dependencies.isCustomerDeleted(customerId, context);
  }

  /** Settles a failed refund. A second try is sent before the call returns, if its time allows. */
  async settle(
    settlement: Omit<Settlement, 'now' | 'realNow' | 'isCustomerDeleted'>,
    context: CallContext,
  ): Promise<Stored<InvoiceRecord>> {
    const { refundId } = settlement;
    const invoiceId = await this.dependencies.rows.invoiceOf('refunds', refundId, context);
    if (invoiceId === undefined) throw notFound('Refund');
    const realNow = this.dependencies.clock.now();
    const isCustomerDeleted =
      settlement.to === 'BALANCE' && (await this.isCustomerDeleted(invoiceId, context));
    const settled = await this.invoices(context).mutate(invoiceId, (record, now) =>
      settleRefund(record, { ...settlement, isCustomerDeleted, now, realNow }),
    );
    const isNew = ({ id, claimedAt }: Refund) => id === refundId && claimedAt !== undefined;
    const until = waitAtMost(refundWaitMsMax, context, realNow);
    const sent = await this.sendNew(settled, { isNew, until }, context);
    // For the caller to find the entry and the row right after the call; the commands do the same.
    const isToBalance = settlement.to === 'BALANCE';
    const effects = Promise.all([
      isToBalance ? this.creditRefund(sent.state, refundId, context) : undefined,
      this.copyRows(sent),
    ]);
    await waitForEffect(effects, context, this.dependencies.clock);
    return sent;
  }

  /** Adds a refund that was settled to the balance to it. */
  async creditRefund(record: InvoiceRecord, refundId: string, context: Context): Promise<void> {
    const refund = record.isTombstone ? undefined : findRefund(record, refundId);
    if (record.isTombstone || refund?.replacedBy !== 'BALANCE') return;
    const { amount, creditNoteId } = refund;
    const { balances } = this.dependencies;
    await balances.replaceRefund(record, { refundId, creditNoteId, amount }, context);
  }

  /**
   * Refunds what a charge has taken beyond the outstanding amount if its customer was deleted:
   * their balance pays nothing any more. Returns false if the amount belongs in the balance. The
   * worker that resumes refunds sends it.
   */
  async refundOverpayment(
    record: InvoiceRecord,
    paymentId: string,
    context: CallContext,
  ): Promise<boolean> {
    const { isCustomerDeleted, balances, clock } = this.dependencies;
    const { id: invoiceId, customerId } = record;
    const payment = record.isTombstone
      ? undefined
      : record.payments.find(({ id }) => id === paymentId);
    if (payment === undefined || !isCharge(payment)) return false;
    if (!(await isCustomerDeleted(customerId, context))) return false;
    // A tombstone, so that a run that read the customer earlier posts nothing later; or the entry
    // that it has posted.
    const posted = await balances.credit(record, { paymentId, overpayment: 0n }, context);
    if (posted > 0n) return true;
    const id = derivedId(context.tenant.environmentId, 'refund', paymentId, 'overpayment');
    const realNow = clock.now();
    await atBoundary('refund', 'overpayment', () =>
      this.invoices(context).mutate(invoiceId, (current, now) =>
        refundOverpayment(current, { id, payment, now, realNow }),
      ),
    );
    return true;
  }

  /** Copies the rows by which lists find the invoice's credit notes, refunds and disputes. */
  copyRows(stored: Stored<InvoiceRecord>): Promise<void> {
    return this.dependencies.rows.copy(stored);
  }

  private async sendAll(
    stored: Stored<InvoiceRecord>,
    refunds: readonly Refund[],
    context: Context,
  ): Promise<Stored<InvoiceRecord>> {
    let current = stored;
    const failures: unknown[] = [];
    // One after another, because all of them write the same invoice. One that fails holds up none.
    for (const refund of refunds) {
      try {
        current = await this.send(current, refund, context);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return current;
  }

  private async send(
    { state }: Stored<InvoiceRecord>,
    refund: Refund,
    context: Context,
  ): Promise<Stored<InvoiceRecord>> {
    if (state.isTombstone) throw new Error(`Invoice ${state.id} has no refunds`);
    const outcome = await atBoundary('provider', 'refund', () =>
      this.outcomeOf(state, refund, context),
    );
    const recorded = await atBoundary('refund', 'record', () =>
      this.invoices(context).mutate(state.id, (record, now) =>
        recordRefund(record, { ...refund, outcome, now }),
      ),
    );
    await this.copyRows(recorded).catch(() => undefined);
    return recorded;
  }

  // The provider is asked for the key first: another worker may have sent the refund.
  private async outcomeOf(
    invoice: Invoice,
    refund: Refund,
    context: Context,
  ): Promise<RefundOutcome> {
    const payment = invoice.payments.find(({ id }) => id === refund.paymentId);
    if (payment === undefined) throw new Error(`Refund ${refund.id} has no payment`);
    const provider = this.providerOf(payment, context);
    const { now } = context;
    const reference = { key: refundKey(refund), charge: chargeOf(invoice, payment), now };
    const found = await provider.findRefund(reference);
    const { amount } = refund;
    const { currency } = invoice;
    if (found === undefined && this.dependencies.areChargesHeld?.() === true) {
      throw new DomainError('unavailable', 'RECOVERING', 'Service unavailable');
    }
    return found ?? provider.refund({ ...reference, amount, currency });
  }

  // Only the provider of a payment knows its refunds; any other would refuse them.
  private providerOf({ provider: name }: Payment, { tenant }: Context): PaymentProvider {
    const provider = this.dependencies.providerOf(tenant);
    if (provider.name === name) return provider;
    throw new DomainError('unavailable', 'PROVIDER_CHANGED', 'Service unavailable');
  }

  private invoices(context: Context) {
    return this.dependencies.invoices.within(context);
  }
}

function chargeOf({ id, customerId }: Invoice, payment: Payment) {
  return { key: chargeKey(id, payment), customerId };
}
