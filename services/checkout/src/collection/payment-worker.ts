import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import type { Logger } from '@billing/chassis/logging';
import type { PayerPresence } from '../invoice/attempt';
import { type AttemptWorker, finishForCaller } from './attempt-worker';
import type { NotCharged } from '../provider/alarms';
import { attemptOfCall, invoiceNotOpen, payNow, takeAnswer } from '../invoice/collection';
import { noProviderCode } from '../provider/port/decline';
import { type InvoiceRecord, isOwed, type Payment, paymentInProgress } from '../invoice/invoice';
import { settleLate } from './late-payment';
import type { PaymentMethodStore } from '../payment-method/store';
import type { ChargeSource } from '../provider/port/payment-provider';

type Context = Pick<CallContext, 'tenant' | 'now' | 'storing'>;

export interface PaymentDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly methods: PaymentMethodStore;
  readonly attempts: AttemptWorker;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  /** Called for a payment that was not begun because there is no provider. */
  readonly onNotCharged?: ((uncharged: NotCharged) => void) | undefined;
}

/** A payer's answer to the challenge of an attempt. */
export interface ChallengeAnswer {
  readonly invoiceId: string;
  readonly attempt: number;
  /** Undefined if the provider showed the challenge and knows the answer. */
  readonly approved: boolean | undefined;
}

/** A payment that is recorded as failed and was reported as succeeded. */
export interface LatePayment {
  readonly payment: Payment;
  /**
   * Keeps the invoice's session from ending before the invoice is settled; returns false if the
   * session has ended.
   */
  readonly holdSession: () => Promise<boolean>;
}

/** Makes the attempts that callers and payers request. */
export class PaymentWorker {
  constructor(private readonly dependencies: PaymentDependencies) {}

  /**
   * Makes one attempt now. Without a source the invoice's usual method is charged, as by the
   * schedule. A waiting challenge is canceled first; if it had already succeeded, its charge is the
   * payment. A retried call continues its own attempt. Returns the current invoice, also while the
   * outcome is unknown.
   */
  async pay(
    {
      invoiceId,
      source,
    }: { readonly invoiceId: string; readonly source: ChargeSource | undefined },
    presence: PayerPresence,
    context: Context,
  ): Promise<Stored<InvoiceRecord>> {
    const invoices = this.dependencies.invoices.within(context);
    const stored = await invoices.get(invoiceId);
    const { state } = stored;
    if (!state.isTombstone && attemptOfCall(state, presence.callId) === undefined) {
      const released = await this.dependencies.attempts.release(stored, context);
      if (released !== stored && released.state.status === 'PAID') return released;
    }
    const { customerId } = state;
    const methods = await this.dependencies.methods.choiceFor(state, context);
    const charged = source ?? savedSource(methods.methodId);
    const claim = this.dependencies.attempts.claimOf(charged, { customerId }, context);
    const cardCountry = await this.cardCountryFor(state, charged, context);
    // A write that loses its race decides again, so the last decision counts.
    let isNew = false as boolean;
    const claimed = await invoices.mutate(invoiceId, (record, now) => {
      const transition = payNow(record, { ...claim, ...presence, methods, cardCountry, now });
      isNew = transition.state !== record;
      return transition;
    });
    if (claim.isProviderMissing === true) {
      this.dependencies.onNotCharged?.({ code: noProviderCode, invoiceId, tenant: context.tenant });
    }
    checkDunningNotOver(stored.state, claimed.state, presence);
    return finishForCaller(claimed, { isNew }, context, this.dependencies);
  }

  /** Continues the attempt that waits for its payer; a different running attempt is left alone. */
  async answerChallenge(
    { invoiceId, attempt: attemptNumber, approved }: ChallengeAnswer,
    context: Context,
  ): Promise<Stored<InvoiceRecord>> {
    const claimedAt = this.dependencies.clock.now();
    const answered = await this.dependencies.invoices
      .within(context)
      .mutate(invoiceId, (record) => takeAnswer(record, { attemptNumber, approved, claimedAt }));
    return finishForCaller(answered, {}, context, this.dependencies);
  }

  /**
   * Checks the running attempt at the provider after one of the provider's events. The event itself
   * is only the reason to ask; without an attempt nothing happens.
   */
  async checkAtProvider(invoiceId: string, context: Context): Promise<Stored<InvoiceRecord>> {
    const stored = await this.dependencies.invoices.within(context).get(invoiceId);
    const { state } = stored;
    if (state.isTombstone || state.attempt === undefined) return stored;
    const { number: attempt, status } = state.attempt;
    if (status === 'PENDING') return this.dependencies.attempts.finish(stored, context);
    return this.answerChallenge({ invoiceId, attempt, approved: undefined }, context);
  }

  /**
   * Settles an invoice with a payment that is recorded as failed, if the provider says that it has
   * succeeded; of an invoice that is paid or void the payment goes to the balance. Throws
   * PAYMENT_IN_PROGRESS while another attempt runs, and until the invoice of an ended session is
   * void, so that the provider sends its event again.
   */
  async settleLate(
    stored: Stored<InvoiceRecord>,
    { payment, holdSession }: LatePayment,
    context: Context,
  ): Promise<'SETTLED' | 'CONTRADICTION'> {
    const outcome = await this.dependencies.attempts.lookUp(stored.state, payment, context);
    if (outcome?.status !== 'SUCCEEDED') return 'CONTRADICTION';
    if (isOwed(stored.state) && !(await holdSession())) {
      // The invoice of a session that has ended is about to be void.
      const { state } = await this.dependencies.invoices.within(context).get(stored.state.id);
      if (isOwed(state)) throw paymentInProgress();
    }
    const { state } = await this.dependencies.attempts.release(stored, context);
    const { number } = payment;
    const methods = await this.dependencies.methods.choiceFor(state, context);
    const settled = await this.dependencies.invoices
      .within(context)
      .mutate(state.id, (record, now) => settleLate(record, { number, methods, now }));
    if (settled.state.isTombstone) return 'CONTRADICTION';
    if (settled.state.attempt !== undefined) throw paymentInProgress();
    const found = settled.state.payments.find((each) => each.number === number);
    return found?.status === 'SUCCEEDED' ? 'SETTLED' : 'CONTRADICTION';
  }

  // Kept by a session's invoice, whose taxes are fixed once it is paid.
  private async cardCountryFor(
    record: InvoiceRecord,
    source: ChargeSource,
    context: Context,
  ): Promise<string | undefined> {
    const isTaxed = !record.isTombstone && record.finalization?.taxes !== undefined;
    if (!isTaxed || record.session === undefined || source.kind !== 'METHOD') return undefined;
    return (await this.dependencies.methods.find(source.paymentMethodId, context))?.country;
  }
}

// Earlier due work was applied first, and ended dunning.
function checkDunningNotOver(
  before: InvoiceRecord,
  record: InvoiceRecord,
  { callId }: PayerPresence,
): void {
  if (record.isTombstone || before.status !== 'OPEN' || record.status !== 'UNCOLLECTIBLE') return;
  if (attemptOfCall(record, callId) === undefined) throw invoiceNotOpen();
}

function savedSource(methodId: string | undefined): ChargeSource {
  return methodId === undefined ? { kind: 'NONE' } : { kind: 'METHOD', paymentMethodId: methodId };
}
