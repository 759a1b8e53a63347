import type { Stored, Completion } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { elseAsWritten } from '@billing/chassis/else-as-written';
import { atBoundary } from '@billing/chassis/failpoint';
import type { Logger } from '@billing/chassis/logging';
import type { Metrics } from '@billing/chassis/metrics';
import { DomainError } from '@billing/kernel/domain-error';
import { type Attempt, chargeKey, type ScheduledClaim } from '../invoice/attempt';
import type { BalanceStore } from '../balance/balance-store';
import { needsWorker, takeOver } from '../invoice/attempt-slot';
import { amountOf, recordResult, recordWaiting } from '../invoice/collection';
import { declined } from '../provider/port/decline';
import {
  type Invoice,
  type InvoiceRecord,
  payableOf,
  type Payment,
  type PaymentCard,
} from '../invoice/invoice';
import { noProvider } from '../provider/no-provider';
import { methodNotFound, type PaymentMethod } from '../payment-method/payment-method';
import { authorizedMethodId, type PaymentMethodStore } from '../payment-method/store';
import type { MethodChoice } from '../invoice/method-choice';
import type {
  ChargeOutcome,
  ChargeSource,
  FinalOutcome,
  PaymentProvider,
  ProviderSource,
} from '../provider/port/payment-provider';
import type { NotCharged, ProviderChange } from '../provider/alarms';
import { paymentIdOf } from '../invoice/payment-id-store';

type Context = Pick<CallContext, 'tenant' | 'now' | 'storing'>;

export interface AttemptDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly methods: PaymentMethodStore;
  readonly balances: Pick<BalanceStore, 'pay'>;
  readonly providerOf: (tenant: Tenant) => PaymentProvider;
  readonly clock: Clock;
  /** Days after the first failure on which the invoice is charged again. */
  readonly retryDays: readonly number[];
  readonly metrics?: Pick<Metrics, 'recordPayment'>;
  /** True while no new charge may be made: the provider is only asked for those that it has. */
  readonly areChargesHeld?: () => boolean;
  /** Called for a charge that the provider cannot take, or that has no provider. */
  readonly onNotCharged?: (uncharged: NotCharged) => void;
  /** Called for an attempt that waits until its own provider is configured again. */
  readonly onProviderChanged?: (change: ProviderChange) => void;
}

/** How an attempt is finished. */
export interface FinishOptions {
  /** The command that this call finishes, if any. */
  readonly completes?: Completion | undefined;
  /** True if this call has claimed the attempt, so that nothing was charged for it yet. */
  readonly isNew?: boolean;
}

interface ChargedAttempt {
  readonly attempt: Attempt;
  readonly isNew: boolean;
  readonly method: PaymentMethod | undefined;
}

interface EndedAttempt {
  readonly outcome: FinalOutcome;
  readonly isCanceled?: boolean;
  readonly completes?: Completion | undefined;
  readonly card: PaymentCard | undefined;
}

/**
 * Runs the attempt in an invoice's slot to its end: asks the provider and records the outcome.
 * Every step can be retried, also by several replicas in parallel: a charge is unique by its key,
 * and the record is a compare-and-set. The work continues when the caller disconnects.
 */
export class AttemptWorker {
  constructor(private readonly dependencies: AttemptDependencies) {}

  /**
   * Days after a first failure, or a due date, on which an invoice is charged or its payer
   * reminded.
   */
  get retryDays(): readonly number[] {
    return this.dependencies.retryDays;
  }

  /** Claim of an attempt with the source, without its time. */
  claimOf(
    source: ChargeSource,
    { customerId }: Pick<Invoice, 'customerId'>,
    { tenant }: Context,
  ): Omit<ScheduledClaim, 'now'> {
    const isCharged = source.kind !== 'NONE';
    const { name } = this.dependencies.providerOf(tenant);
    return {
      source,
      methodId: methodIdOf(source, { customerId, tenant }),
      provider: isCharged ? name : 'none',
      claimedAt: this.dependencies.clock.now(),
      isProviderMissing: name === noProvider.name,
      retryDays: this.dependencies.retryDays,
    };
  }

  /** Resumes an attempt whose lease has expired, unless another worker has just done so. */
  async resume(invoiceId: string, context: Context): Promise<Stored<InvoiceRecord>> {
    const realNow = this.dependencies.clock.now();
    // A write that loses its race decides again, so the last decision counts.
    let isTakenOver = false as boolean;
    const stored = await this.invoices(context).mutate(invoiceId, (record) => {
      const transition = takeOver(record, realNow);
      isTakenOver = transition.state !== record;
      return transition;
    });
    return isTakenOver ? this.finish(stored, context) : stored;
  }

  /**
   * Charges the PENDING attempt and records the outcome. An attempt that waits for its payer or
   * while charges are held, or an empty slot, stays as it is.
   */
  async finish(
    stored: Stored<InvoiceRecord>,
    context: Context,
    { completes, isNew = false }: FinishOptions = {},
  ): Promise<Stored<InvoiceRecord>> {
    const { state } = stored;
    if (state.isTombstone || state.attempt === undefined || !needsWorker(state)) return stored;
    const { attempt } = state;
    if (attempt.status === 'REQUIRES_ACTION') return this.cancel(stored, context);
    const method = await this.methodOf(attempt, context);
    const outcome = await atBoundary('provider', 'charge', () =>
      this.charge(state, { attempt, isNew, method }, context),
    );
    if (outcome === undefined) return stored;
    if (outcome.status !== 'REQUIRES_ACTION') {
      return this.record(state, attempt, { outcome, completes, card: cardOf(method) }, context);
    }
    const { number: attemptNumber, answers } = attempt;
    const waiting = await this.invoices(context).mutate(state.id, (record) =>
      recordWaiting(record, { attemptNumber, answers, outcome }),
    );
    const isLeftToWorker = !waiting.state.isTombstone && needsWorker(waiting.state);
    return isLeftToWorker ? this.cancel(waiting, context) : waiting;
  }

  /**
   * Frees the slot of an attempt that waits for its payer by canceling it at the provider. If the
   * attempt had already succeeded, the success is recorded. A free slot is nothing that a caller
   * asks for: what a caller's request stores next needs enough time of its own.
   */
  async release(stored: Stored<InvoiceRecord>, context: Context): Promise<Stored<InvoiceRecord>> {
    const released = await this.cancel(stored, context);
    context.storing?.close();
    return released;
  }

  private async cancel(
    stored: Stored<InvoiceRecord>,
    context: Context,
  ): Promise<Stored<InvoiceRecord>> {
    const { state } = stored;
    if (state.isTombstone || state.attempt?.status !== 'REQUIRES_ACTION') return stored;
    const { attempt, customerId } = state;
    const reference = { key: chargeKey(state.id, attempt), customerId };
    const provider = this.providerOf(attempt, state.id, context);
    const outcome = await atBoundary('provider', 'cancelCharge', () =>
      provider.cancelCharge(reference),
    );
    const card = cardOf(await this.methodOf(attempt, context));
    return this.record(state, attempt, { outcome, isCanceled: true, card }, context);
  }

  private async record(
    invoice: Invoice,
    { number: attemptNumber, source }: Attempt,
    { completes, ...ended }: EndedAttempt,
    context: Context,
  ): Promise<Stored<InvoiceRecord>> {
    const { id } = invoice;
    const { outcome } = ended;
    const paymentId = paymentIdOf({ id, attemptNumber }, context.tenant);
    const { retryDays, metrics, clock } = this.dependencies;
    // A failure needs the method to charge next; a success may replace a method that failed before.
    const methods: MethodChoice =
      outcome.status === 'FAILED' || invoice.payments.length > 0
        ? await this.dependencies.methods.choiceFor(invoice, context)
        : { methodId: undefined };
    const claimedAt = clock.now();
    const { name } = this.dependencies.providerOf(context.tenant);
    const provider = name === noProvider.name ? undefined : name;
    // Another worker may have recorded the outcome. A write that loses its race decides again, so
    // the last decision counts.
    let isRecorded = false as boolean;
    const facts = { attemptNumber, paymentId, ...ended, methods, provider, claimedAt, retryDays };
    const decide = (current: InvoiceRecord, now: Date) => {
      const transition = recordResult(current, { ...facts, now });
      isRecorded = transition.state !== current;
      return transition;
    };
    const stored = await this.invoices(context).mutate(id, decide, { completes });
    const isCharge = payableOf(invoice) > 0n && source.kind !== 'BALANCE';
    if (isRecorded && isCharge) {
      metrics?.recordPayment({ outcome: outcome.status, live: context.tenant.live });
      this.reportIfNotCharged(invoice, outcome, context);
    }
    // The write that recorded the failure may have claimed the next attempt of the same retry.
    return isRecorded ? this.finish(stored, context) : stored;
  }

  /** Current outcome at the provider of a payment whose attempt has ended. */
  lookUp(
    { id, customerId }: Pick<Invoice, 'id' | 'customerId'>,
    { number, provider }: Pick<Payment, 'number' | 'provider'>,
    context: Context,
  ): Promise<ChargeOutcome | undefined> {
    const reference = { key: chargeKey(id, { number }), customerId };
    return this.providerOf({ provider }, id, context).findCharge(reference);
  }

  private reportIfNotCharged({ id }: Invoice, outcome: FinalOutcome, { tenant }: Context): void {
    if (outcome.status !== 'FAILED' || outcome.decline !== 'PROVIDER') return;
    this.dependencies.onNotCharged?.({ code: outcome.failureCode, invoiceId: id, tenant });
  }

  // A resumed attempt has an unknown outcome, so the provider is asked before the charge is sent
  // again with the same key. After a restore an attempt may be new here alone.
  private async charge(
    invoice: Invoice,
    { attempt, isNew, method }: ChargedAttempt,
    context: Context,
  ): Promise<ChargeOutcome | undefined> {
    if (attempt.source.kind === 'BALANCE') return this.takeFromBalance(invoice, attempt, context);
    const { id: invoiceId, currency, customerId } = invoice;
    const provider = this.providerOf(attempt, invoiceId, context);
    const reference = { key: chargeKey(invoiceId, attempt), customerId };
    const { approved, returnUrl } = attempt;
    if (attempt.answers > 0) return provider.continueCharge({ ...reference, approved });
    const isHeld = this.dependencies.areChargesHeld?.() === true;
    const found = isNew && !isHeld ? undefined : await provider.findCharge(reference);
    if (found !== undefined) return found;
    const source = providerSource(attempt.source, method);
    if (source === undefined) return declined('no_payment_method', undefined);
    if (isHeld) return undefined;
    const amount = amountOf(attempt, invoice);
    const { startedAt } = attempt;
    const request = { ...reference, amount, currency, invoiceId, source, startedAt, returnUrl };
    return provider.charge(request);
  }

  private async takeFromBalance(
    invoice: Invoice,
    attempt: Attempt,
    context: Context,
  ): Promise<FinalOutcome> {
    const { number: attemptNumber } = attempt;
    const paymentId = paymentIdOf({ id: invoice.id, attemptNumber }, context.tenant);
    const amount = amountOf(attempt, invoice);
    const { balances } = this.dependencies;
    const { entryId, taken } = await balances.pay(invoice, { paymentId, amount }, context);
    return taken === 0n
      ? declined('balance_too_low', undefined)
      : { status: 'SUCCEEDED', providerPaymentId: entryId };
  }

  // Only the provider that began an attempt knows its outcome; any other would find no charge and
  // charge again.
  private providerOf(
    { provider: startedWith }: Pick<Attempt, 'provider'>,
    invoiceId: string,
    { tenant }: Context,
  ): PaymentProvider {
    if (startedWith === noProvider.name) return noProvider;
    const provider = this.dependencies.providerOf(tenant);
    const { name: configured } = provider;
    if (configured === startedWith) return provider;
    const { environmentId } = tenant;
    this.dependencies.onProviderChanged?.({ invoiceId, environmentId, startedWith, configured });
    throw new DomainError('unavailable', 'PROVIDER_CHANGED', 'Service unavailable');
  }

  // A method of an authorization is known once an earlier call has resolved it.
  private async methodOf(
    { methodId }: Pick<Attempt, 'methodId'>,
    context: Context,
  ): Promise<PaymentMethod | undefined> {
    return methodId === undefined ? undefined : this.dependencies.methods.find(methodId, context);
  }

  private invoices(context: Context) {
    return this.dependencies.invoices.within(context);
  }
}

function methodIdOf(
  source: ChargeSource,
  { customerId, tenant }: { readonly customerId: string; readonly tenant: Tenant },
): string | undefined {
  switch (source.kind) {
    case 'NONE':
      return undefined;
    case 'METHOD':
      return source.paymentMethodId;
    case 'AUTHORIZATION': {
      const { authorizedTransactionId } = source;
      return authorizedMethodId({ customerId, authorizedTransactionId }, tenant);
    }
  }
}

function providerSource(
  source: ChargeSource,
  method: PaymentMethod | undefined,
): ProviderSource | undefined {
  switch (source.kind) {
    case 'NONE':
      return undefined;
    case 'AUTHORIZATION':
      return source;
    case 'METHOD': {
      if (method === undefined) throw methodNotFound();
      return { kind: 'METHOD', providerMethodId: method.providerMethodId };
    }
  }
}

// An erased method has no card.
function cardOf(method: PaymentMethod | undefined): PaymentCard | undefined {
  if (method === undefined || method.last4 === '') return undefined;
  const { brand, last4 } = method;
  return { brand, last4 };
}

/** What a caller's attempt is finished with. */
interface CallerDependencies {
  readonly attempts: AttemptWorker;
  readonly invoices: AggregateCollection<InvoiceRecord>;
  /** Logs a charge or posting whose outcome is not known yet; it is resumed. */
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Finishes a claimed attempt for the caller that has requested it. The claim stands and the attempt
 * is resumed after any failure, so the caller gets the present invoice, at the latest when the call
 * has to answer.
 */
export async function finishForCaller(
  claimed: Stored<InvoiceRecord>,
  options: FinishOptions,
  context: Pick<CallContext, 'tenant' | 'now' | 'storing'>,
  { attempts, invoices, logger }: CallerDependencies,
): Promise<Stored<InvoiceRecord>> {
  const { id } = claimed.state;
  const finished = await elseAsWritten(undefined, attempts.finish(claimed, context, options), {
    ...{ logger, storing: context.storing, invoiceId: id },
    message: 'charge outcome unknown, retrying',
  });
  if (finished !== undefined) return finished;
  return invoices
    .within(context)
    .get(id)
    .catch(() => claimed);
}
