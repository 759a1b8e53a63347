import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { atBoundary } from '@billing/chassis/failpoint';
import { derivedId } from '@billing/chassis/ids';
import type { Metrics } from '@billing/chassis/metrics';
import type { Completion } from '@billing/chassis/outbox-progress';
import { DomainError } from '@billing/kernel/domain-error';
import { type Attempt, chargeKey, type Claim } from './attempt';
import { takeOver } from './attempt-lease';
import { isUnderWay, recordResult, recordWaiting } from './collection';
import { declined } from './decline';
import { type Invoice, type InvoiceRecord, type Payment, totalOf } from './invoice';
import { noProvider } from './no-provider';
import { authorizedMethodId, type PaymentMethodStore } from './payment-method-store';
import type { MethodChoice } from './method-choice';
import type {
  ChargeOutcome,
  ChargeSource,
  FinalOutcome,
  PaymentProvider,
  ProviderSource,
} from './payment-provider';
import type { NotCharged, ProviderChange } from './changed-provider';

type Context = Pick<CallContext, 'tenant' | 'now'>;

/** What attempts are made with. */
export interface AttemptDependencies {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly methods: PaymentMethodStore;
  readonly providerOf: (tenant: Tenant) => PaymentProvider;
  readonly clock: Clock;
  /** Days after the first failure at which an attempt is repeated. */
  readonly retryDays: readonly number[];
  readonly metrics?: Pick<Metrics, 'recordPayment'>;
  /** Told of a charge that the provider cannot take, or that there is no provider for. */
  readonly onNotCharged?: (uncharged: NotCharged) => void;
  /** Told of an attempt that waits until its own provider is configured again. */
  readonly onProviderChanged?: (change: ProviderChange) => void;
}

interface EndedAttempt {
  readonly outcome: FinalOutcome;
  readonly isCancelled?: boolean;
  readonly completes?: Completion | undefined;
}

/**
 * Takes the attempt in an invoice's slot to its end: asks the provider, records what it says. Every step may be repeated, and by several
 * replicas at once: a charge exists once by its key, and the record is a compare-and-set. Nothing here ends when a caller goes away.
 */
export class AttemptWorker {
  constructor(private readonly dependencies: AttemptDependencies) {}

  /** What an attempt with the source is claimed with, but for its time. */
  claimOf(
    source: ChargeSource,
    { customerId }: Pick<Invoice, 'customerId'>,
    { tenant }: Context,
  ): Omit<Claim, 'now'> {
    const isCharged = source.kind !== 'NONE';
    const { name } = this.dependencies.providerOf(tenant);
    return {
      source,
      methodId: methodIdOf(source, { customerId, tenant }),
      provider: isCharged ? name : 'none',
      claimedAt: this.dependencies.clock.now(),
      isProviderMissing: name === noProvider.name,
    };
  }

  /** Goes on with an attempt whose worker has had its time, unless another one has just done so. */
  async resume(invoiceId: string, context: Context): Promise<Stored<InvoiceRecord>> {
    const realNow = this.dependencies.clock.now();
    // A write that loses its race is decided again: the last decision counts.
    let isTakenOver = false as boolean;
    const stored = await this.invoices(context).mutate(invoiceId, (record) => {
      const transition = takeOver(record, realNow);
      isTakenOver = transition.state !== record;
      return transition;
    });
    return isTakenOver ? this.finish(stored, context) : stored;
  }

  /**
   * Charges the attempt that is PENDING and records what came of it; one that waits for its payer, or none, stays as it is. `completes`
   * is a command whose last step that is.
   */
  async finish(
    stored: Stored<InvoiceRecord>,
    context: Context,
    completes?: Completion,
  ): Promise<Stored<InvoiceRecord>> {
    const { state } = stored;
    if (state.isTombstone || state.attempt === undefined || !isUnderWay(state)) return stored;
    const { attempt } = state;
    if (attempt.status === 'REQUIRES_ACTION') return this.release(stored, context);
    const outcome = await atBoundary('provider', 'charge', () =>
      this.charge(state, attempt, context),
    );
    if (outcome.status !== 'REQUIRES_ACTION') {
      return this.record(state, attempt, { outcome, completes }, context);
    }
    const { number: attemptNumber, answers } = attempt;
    const waiting = await this.invoices(context).mutate(state.id, (record) =>
      recordWaiting(record, { attemptNumber, answers, outcome }),
    );
    const isOver = !waiting.state.isTombstone && isUnderWay(waiting.state);
    return isOver ? this.release(waiting, context) : waiting;
  }

  /** Frees the slot of an attempt that waits for its payer: cancels it at the provider. If it had succeeded by then, that counts. */
  async release(stored: Stored<InvoiceRecord>, context: Context): Promise<Stored<InvoiceRecord>> {
    const { state } = stored;
    if (state.isTombstone || state.attempt?.status !== 'REQUIRES_ACTION') return stored;
    const { attempt, customerId } = state;
    const reference = { key: chargeKey(state.id, attempt), customerId };
    const provider = this.providerOf(attempt, state.id, context);
    const outcome = await atBoundary('provider', 'cancelCharge', () =>
      provider.cancelCharge(reference),
    );
    return this.record(state, attempt, { outcome, isCancelled: true }, context);
  }

  private async record(
    invoice: Invoice,
    { number: attemptNumber }: Attempt,
    { completes, ...ended }: EndedAttempt,
    context: Context,
  ): Promise<Stored<InvoiceRecord>> {
    const { id } = invoice;
    const { outcome } = ended;
    const paymentId = paymentIdOf({ id, attemptNumber }, context.tenant);
    const { retryDays, metrics, clock } = this.dependencies;
    // A failure asks what is charged next, and a success after failures whose place its method takes.
    const methods: MethodChoice =
      outcome.status === 'FAILED' || invoice.payments.length > 0
        ? await this.dependencies.methods.choiceFor(invoice, context)
        : { methodId: undefined };
    const claimedAt = clock.now();
    const { name } = this.dependencies.providerOf(context.tenant);
    const provider = name === noProvider.name ? undefined : name;
    // Another worker may have recorded it, and a write that loses its race is decided again: the last decision counts.
    let isRecorded = false as boolean;
    const facts = { attemptNumber, paymentId, ...ended, methods, provider, claimedAt, retryDays };
    const decide = (current: InvoiceRecord, now: Date) => {
      const transition = recordResult(current, { ...facts, now });
      isRecorded = transition.state !== current;
      return transition;
    };
    const stored = await this.invoices(context).mutate(id, decide, { completes });
    if (isRecorded && totalOf(invoice) > 0n) {
      metrics?.recordPayment({ outcome: outcome.status, live: context.tenant.live });
      this.tellIfNotCharged(invoice, outcome, context);
    }
    // The write that recorded the failure may have begun the same retry's next attempt.
    return isRecorded ? this.finish(stored, context) : stored;
  }

  /** What the provider says today of a payment whose attempt has ended. */
  lookUp(
    { id, customerId }: Pick<Invoice, 'id' | 'customerId'>,
    { number, provider }: Pick<Payment, 'number' | 'provider'>,
    context: Context,
  ): Promise<ChargeOutcome | undefined> {
    const reference = { key: chargeKey(id, { number }), customerId };
    return this.providerOf({ provider }, id, context).findCharge(reference);
  }

  private tellIfNotCharged({ id }: Invoice, outcome: FinalOutcome, { tenant }: Context): void {
    if (outcome.status !== 'FAILED' || outcome.decline !== 'PROVIDER') return;
    this.dependencies.onNotCharged?.({ code: outcome.failureCode, invoiceId: id, tenant });
  }

  // The attempt may be a resumed one, whose outcome is unknown: the provider is asked before it is charged again with the same key.
  private async charge(
    invoice: Invoice,
    attempt: Attempt,
    context: Context,
  ): Promise<ChargeOutcome> {
    const source = await this.providerSource(attempt.source, context);
    if (source === undefined) return declined('no_payment_method', undefined);
    const { id: invoiceId, currency, customerId } = invoice;
    const provider = this.providerOf(attempt, invoiceId, context);
    const reference = { key: chargeKey(invoiceId, attempt), customerId };
    const { approved, returnUrl } = attempt;
    if (attempt.answers > 0) return provider.continueCharge({ ...reference, approved });
    const found = await provider.findCharge(reference);
    const amount = totalOf(invoice);
    const request = { ...reference, amount, currency, invoiceId, source, returnUrl };
    return found ?? provider.charge(request);
  }

  // Only the provider that an attempt was begun with knows what came of it: any other one would find nothing and charge again.
  private providerOf(
    { provider: begunWith }: Pick<Attempt, 'provider'>,
    invoiceId: string,
    { tenant }: Context,
  ): PaymentProvider {
    if (begunWith === noProvider.name) return noProvider;
    const provider = this.dependencies.providerOf(tenant);
    const { name: configured } = provider;
    if (configured === begunWith) return provider;
    const { environmentId } = tenant;
    this.dependencies.onProviderChanged?.({ invoiceId, environmentId, begunWith, configured });
    throw new DomainError('unavailable', 'PROVIDER_CHANGED', 'Service unavailable');
  }

  private async providerSource(
    source: ChargeSource,
    context: Context,
  ): Promise<ProviderSource | undefined> {
    switch (source.kind) {
      case 'NONE':
        return undefined;
      case 'AUTHORIZATION':
        return source;
      case 'METHOD': {
        const { providerMethodId } = await this.dependencies.methods.get(
          source.paymentMethodId,
          context,
        );
        return { kind: 'METHOD', providerMethodId };
      }
    }
  }

  private invoices(context: Context) {
    return this.dependencies.invoices.within(context);
  }
}

/** The id of a payment, the same while its attempt runs and once it has ended. */
export function paymentIdOf(
  { id, attemptNumber }: { readonly id: string; readonly attemptNumber: number },
  { environmentId }: Pick<Tenant, 'environmentId'>,
): string {
  return derivedId(environmentId, 'payment', id, attemptNumber);
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
