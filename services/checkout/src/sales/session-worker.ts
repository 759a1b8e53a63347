import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import { newId } from '@billing/chassis/ids';
import type { Logger } from '@billing/chassis/logging';
import { DomainError } from '@billing/kernel/domain-error';
import { type Transition, unchanged } from '@billing/kernel/transition';
import {
  expire,
  expireWhenDue,
  holdForLate,
  isPastExpiry,
  isPaying,
  type PaymentPlan,
  type PaymentResult,
  recordPayment,
  resumeChallenge,
  type Session,
  type SessionRecord,
  startPayment,
  sessionOf,
} from './session';
import type {
  SessionInvoices,
  SessionListener,
  SessionPayment,
} from '../collection/session-invoice-worker';
import { amountChanged } from '../invoice/collection';
import { resumeUnfinished } from './session-ending';

export interface SessionWorkerDependencies {
  readonly sessions: AggregateCollection<SessionRecord>;
  readonly invoices: SessionInvoices;
  /** Creates the invoice of a session, unless it exists. */
  readonly openInvoice: (session: Session, context: SessionContext) => Promise<unknown>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
}

type SessionContext = Pick<CallContext, 'tenant' | 'now' | 'storing'>;
/** A decision, and if it claimed the session for a payment. */
interface Claim {
  readonly isClaimed: boolean;
  readonly stored: Stored<SessionRecord>;
}

type Decide = (record: SessionRecord, now: Date) => Transition<SessionRecord>;

/**
 * Takes sessions through the steps that need more than one write: claim, pay the invoice, record.
 * Each can be retried, also by several replicas in parallel: the session is claimed by
 * compare-and-set, and the invoice recognizes a payment by the key that the session stores.
 */
export class SessionWorker implements SessionListener {
  constructor(private readonly dependencies: SessionWorkerDependencies) {}

  /**
   * Pays with a method, which is verified if nothing is due, or confirms without one. Returns the
   * state reached when the call has to answer; throws while another payment runs.
   */
  async pay(
    id: string,
    plan: Omit<PaymentPlan, 'paymentKey'>,
    context: SessionContext,
  ): Promise<Stored<SessionRecord>> {
    const claim = { ...plan, paymentKey: newId(), claimedAt: this.dependencies.clock.now() };
    const { isClaimed, stored } = await this.claim(id, context, (record, now) =>
      startPayment(record, { ...claim, now }),
    );
    if (isClaimed) {
      const paying = this.carryOut(stored, context, { throwsAmountChange: true });
      return this.untilAnswer(stored, paying, context);
    }
    return isPastExpiry(stored.state, context.now) ? this.expireDue(id, context) : stored;
  }

  /** Continues the attempt that waits for its payer; a different attempt is left alone. */
  async answerChallenge(
    id: string,
    { attempt, approved }: { attempt: number; approved: boolean | undefined },
    context: SessionContext,
  ): Promise<Stored<SessionRecord>> {
    const claimedAt = this.dependencies.clock.now();
    const { isClaimed, stored } = await this.claim(id, context, (record, now) =>
      isPastExpiry(record, now) ? expire(record) : resumeChallenge(record, { attempt, claimedAt }),
    );
    if (!isClaimed) {
      return isPastExpiry(stored.state, context.now) ? this.expireDue(id, context) : stored;
    }
    const { invoiceId } = sessionOf(stored.state);
    const answer = { invoiceId, attempt, approved };
    const paying = this.dependencies.invoices
      .answerChallenge(answer, context)
      .then((payment) => this.record(stored, payment, context));
    return this.untilAnswer(stored, paying, context);
  }

  /** Ends a session that has expired. */
  async expireDue(id: string, context: SessionContext): Promise<Stored<SessionRecord>> {
    const { state } = await this.within(context).get(id);
    if (!state.isTombstone && state.expiresAt <= context.now) await this.endChallenge(id, context);
    return this.within(context).mutate(id, expireWhenDue);
  }

  /** Ends a session whose product or discount was removed. */
  async withdraw(id: string, context: SessionContext): Promise<Stored<SessionRecord>> {
    await this.endChallenge(id, context);
    return this.within(context).mutate(id, (record) => expire(record, 'WITHDRAWN'));
  }

  /**
   * Resumes unfinished work: continues a begun payment, or abandons a session without a waiting
   * caller.
   */
  async resume(id: string, context: SessionContext): Promise<void> {
    const realNow = this.dependencies.clock.now();
    const { isClaimed, stored } = await this.tryClaim(id, context, (record) =>
      resumeUnfinished(record, realNow),
    );
    if (isClaimed) await this.carryOut(stored, context);
  }

  /** Notification that an attempt at the invoice has ended. */
  async invoiceChanged(
    { sessionId, invoiceId }: { readonly sessionId: string; readonly invoiceId: string },
    context: CallContext,
  ): Promise<void> {
    const stored = await this.within(context).find(sessionId);
    // An expired session may be deleted long before its void invoice changes.
    if (stored === undefined || stored.state.isTombstone) return;
    const { state } = stored;
    // News of an invoice that a discount code has replaced.
    if (state.invoiceId !== invoiceId) return;
    if ((state.payment ?? state.challenge) !== undefined) await this.carryOut(stored, context);
    else if (state.phase === 'READY') await this.completeIfPaid(state, context);
  }

  async holdForLatePayment(
    { sessionId, invoiceId, payment }: Parameters<SessionListener['holdForLatePayment']>[0],
    context: SessionContext,
  ): Promise<boolean> {
    const { callId: paymentKey, methodId: paymentMethodId, number: latePayment } = payment;
    // Every session with a payment has these fields.
    if (paymentKey === undefined || paymentMethodId === undefined) return false;
    if ((await this.within(context).find(sessionId)) === undefined) return false;
    const claimedAt = this.dependencies.clock.now();
    const hold = { paymentKey, paymentMethodId, returnUrl: '', claimedAt, latePayment };
    const { isClaimed, stored } = await this.tryClaim(sessionId, context, (record, now) =>
      isOf(record, invoiceId) ? holdForLate(record, { ...hold, now }) : unchanged(record),
    );
    const { state } = stored;
    if (isClaimed) return true;
    if (state.isTombstone || !isOf(state, invoiceId)) return false;
    if (state.payment?.latePayment === latePayment) return true;
    if (state.phase === 'PAYING' || state.phase === 'READY') throw paymentInProgress();
    return false;
  }

  // No payment of the session runs, but a payment that is recorded as failed may have paid the
  // invoice after all.
  private async completeIfPaid(session: Session, context: SessionContext): Promise<void> {
    const result = resultOf(await this.dependencies.invoices.read(session.invoiceId, context));
    if (result?.kind !== 'PAID') return;
    await this.within(context).mutate(session.id, (record) =>
      // PAID counts under any key.
      recordPayment(record, { paymentKey: '', result }),
    );
  }

  // The claim stands, and its payment is resumed after any failure.
  private untilAnswer(
    claimed: Stored<SessionRecord>,
    paying: Promise<Stored<SessionRecord>>,
    { storing }: SessionContext,
  ): Promise<Stored<SessionRecord>> {
    if (storing === undefined) return paying;
    return elseAsWritten(claimed, paying, {
      logger: this.dependencies.logger,
      message: 'payment not finished before the answer, resuming',
      ...{ storing, throwsRefusals: true, sessionId: claimed.state.id },
    });
  }

  // The same key finds the same payment: an earlier payment is looked up, not made again.
  private async carryOut(
    stored: Stored<SessionRecord>,
    context: SessionContext,
    { throwsAmountChange = false }: { readonly throwsAmountChange?: boolean } = {},
  ): Promise<Stored<SessionRecord>> {
    const { invoices } = this.dependencies;
    const session = sessionOf(stored.state);
    const { invoiceId, total } = session;
    const { paymentKey, paymentMethodId, returnUrl, expectedAmount } = planOf(session);
    const latePayment = session.payment?.latePayment;
    // The replacing invoice may still be missing after a crash.
    if (session.codes !== undefined) await this.dependencies.openInvoice(session, context);
    if (latePayment !== undefined) {
      const late = { invoiceId, number: latePayment };
      return this.record(stored, await invoices.settleLate(late, context), context);
    }
    if (paymentMethodId === undefined) {
      if (total !== 0n) throw new Error(`Session ${session.id} has an amount due but no method`);
      return this.record(stored, await invoices.settle(invoiceId, context), context);
    }
    const charge = { invoiceId, paymentKey, paymentMethodId, returnUrl, expectedAmount };
    const payment = await invoices.pay(charge, context);
    const recorded = await this.record(stored, payment, context);
    if (throwsAmountChange && payment.kind === 'AMOUNT_CHANGED') throw amountChanged();
    return recorded;
  }

  // A waiting attempt may have succeeded already, so it is canceled before the session ends.
  private async endChallenge(id: string, context: SessionContext): Promise<void> {
    const claimedAt = this.dependencies.clock.now();
    const { isClaimed, stored } = await this.tryClaim(id, context, (record) => {
      const attempt = record.isTombstone ? undefined : record.challenge?.attempt;
      return attempt === undefined
        ? unchanged(record)
        : resumeChallenge(record, { attempt, claimedAt });
    });
    // While a payment runs, the request to end the session is retried after its outcome.
    if (!isClaimed) return;
    const { invoiceId } = sessionOf(stored.state);
    await this.dependencies.invoices.cancelChallenge(invoiceId, context);
    await this.carryOut(stored, context);
  }

  private async record(
    stored: Stored<SessionRecord>,
    payment: SessionPayment,
    context: SessionContext,
  ): Promise<Stored<SessionRecord>> {
    const result = resultOf(payment);
    // The invoice's worker or the next resume finishes it.
    if (result === undefined) return stored;
    const session = sessionOf(stored.state);
    const { paymentKey } = planOf(session);
    const latePayment = session.payment?.latePayment;
    return this.within(context).mutate(session.id, (record) =>
      recordPayment(record, { paymentKey, latePayment, result }),
    );
  }

  /** Throws while another payment runs. */
  private async claim(id: string, context: SessionContext, decide: Decide): Promise<Claim> {
    const claim = await this.tryClaim(id, context, decide);
    if (!claim.isClaimed && isPaying(claim.stored.state)) throw paymentInProgress();
    return claim;
  }

  private async tryClaim(id: string, context: SessionContext, decide: Decide): Promise<Claim> {
    // A write that loses its race decides again, so the last decision counts.
    let isClaimed = false as boolean;
    const stored = await this.within(context).mutate(id, (record, now) => {
      const transition = decide(record, now);
      isClaimed = transition.state !== record && isPaying(transition.state);
      return transition;
    });
    return { isClaimed, stored };
  }

  private within(context: SessionContext) {
    return this.dependencies.sessions.within(context);
  }
}

function isOf(record: SessionRecord, invoiceId: string): boolean {
  return !record.isTombstone && record.invoiceId === invoiceId;
}

function resultOf(payment: SessionPayment): PaymentResult | undefined {
  switch (payment.kind) {
    case 'PAID': {
      const { invoice } = payment;
      const { id, paidAt } = invoice.state;
      if (paidAt === undefined) throw new Error(`Invoice ${id} has no payment time`);
      const isTaxed = invoice.state.finalization?.taxes !== undefined;
      return { kind: 'PAID', invoiceId: id, paidAt, invoice, isTaxed };
    }
    case 'IN_PROGRESS':
      return undefined;
    case 'FAILED':
    case 'WAITING':
    case 'AMOUNT_CHANGED':
    case 'NOT_OPEN':
      return payment;
  }
}

function planOf({ id, payment, challenge }: Pick<Session, 'id' | 'payment' | 'challenge'>) {
  const plan = payment ?? challenge;
  if (plan === undefined) throw new Error(`Session ${id} has no payment`);
  return plan;
}

/** The refusal of a call that would interfere with a running payment. */
export function paymentInProgress(): DomainError {
  const message = 'A payment of the session is in progress';
  return new DomainError('failed_precondition', 'PAYMENT_IN_PROGRESS', message);
}
