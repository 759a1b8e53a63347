import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId } from '@billing/chassis/ids';
import type { Metrics } from '@billing/chassis/metrics';
import {
  chargeKey,
  collectWhenDue,
  endCollection,
  openAndCollect,
  recordResult,
  sourceFor,
  voidForCaller,
} from './collection';
import { declined } from './decline';
import {
  type Attempt,
  checkHolder,
  type Invoice,
  type InvoiceRecord,
  type Tombstone,
  tombstone,
  totalOf,
  voidInvoice,
} from './invoice';
import type { InvoiceNumberStore } from './invoice-number-store';
import type { PaymentMethodStore } from './payment-method-store';
import type {
  ChargeSource,
  FinalOutcome,
  PaymentProvider,
  ProviderSource,
} from './payment-provider';

type Context = Pick<CallContext, 'tenant' | 'now'>;

/** What the worker works with. */
export interface CollectionParts {
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly numbers: InvoiceNumberStore;
  readonly methods: PaymentMethodStore;
  readonly providerOf: (tenant: Tenant) => PaymentProvider;
  readonly clock: Clock;
  readonly metrics?: Pick<Metrics, 'recordPayment'>;
}

/**
 * Takes invoices through the steps that need more than one write: number then open, claim then charge then record. Each step may be
 * repeated, and by several replicas at once: numbers and charges exist once by their keys, everything else is a compare-and-set.
 */
export class CollectionWorker {
  constructor(private readonly parts: CollectionParts) {}

  /** Finishes a DRAFT and makes its first attempt; where an earlier run stopped in between, goes on from there. */
  async open(invoiceId: string, context: Context): Promise<void> {
    const { state } = await this.invoices(context).get(invoiceId);
    const opened = state.status === 'DRAFT' ? await this.openDraft(state, context) : state;
    await this.finishAttempt(opened, context);
  }

  /** Makes the attempt that has fallen due by itself. */
  async collectDue(invoiceId: string, context: Context): Promise<void> {
    const { state } = await this.invoices(context).get(invoiceId);
    if (state.isTombstone) return;
    const source = await this.sourceOf(state, context);
    const claimedAt = this.parts.clock.now();
    const claimed = await this.invoices(context).mutate(invoiceId, (record, now) =>
      collectWhenDue(record, { source, now, claimedAt }),
    );
    await this.finishAttempt(claimed.state, context);
  }

  /** Takes up an attempt that was claimed and not finished, whoever claimed it. */
  async resume(invoiceId: string, context: Context): Promise<void> {
    const { state } = await this.invoices(context).get(invoiceId);
    await this.finishAttempt(state, context);
  }

  /** Voids an invoice under its derived id, or puts a tombstone in its place so that a late step cannot make it. */
  async voidDerived(
    holder: Omit<Tombstone, 'isTombstone' | 'status'>,
    context: Context,
  ): Promise<Stored<InvoiceRecord>> {
    const invoices = this.invoices(context);
    const { stored } = await invoices.insert(tombstone(holder));
    const { state } = stored;
    checkHolder(state, holder);
    if (state.isTombstone) return stored;
    const number = state.status === 'DRAFT' ? await this.takeNumber(state, context) : undefined;
    return invoices.mutate(holder.id, (record, now) => voidInvoice(record, { number, now }));
  }

  /** Voids an OPEN invoice because a caller asked for it. */
  voidForCaller(
    invoiceId: string,
    expectedVersion: number | undefined,
    context: Context,
  ): Promise<Stored<InvoiceRecord>> {
    return this.invoices(context).mutate(invoiceId, voidForCaller, { expectedVersion });
  }

  /** Ends the attempts that come by themselves, because the subscription has ended. */
  async endCollection(
    invoiceId: string,
    { writeOff }: { readonly writeOff: boolean },
    context: Context,
  ): Promise<Stored<InvoiceRecord>> {
    const { state } = await this.invoices(context).get(invoiceId);
    const number =
      !state.isTombstone && state.status === 'DRAFT'
        ? await this.takeNumber(state, context)
        : undefined;
    return this.invoices(context).mutate(invoiceId, (record, now) =>
      endCollection(record, { writeOff, number, now }),
    );
  }

  /** Saves the payment method behind an authorisation as the customer's default. Undefined where the provider knows none. */
  async keepMethod(
    authorization: { readonly customerId: string; readonly authorizedTransactionId: string },
    { tenant, now }: Context,
  ): Promise<string | undefined> {
    const provider = this.parts.providerOf(tenant);
    const method = await provider.resolveAuthorization(authorization);
    if (method === undefined) return undefined;
    const { customerId, authorizedTransactionId } = authorization;
    const { environmentId } = tenant;
    const id = derivedId(environmentId, 'paymentMethod', customerId, authorizedTransactionId);
    const times = { usedAt: now, savedAt: this.parts.clock.now() };
    const saved = { id, customerId, provider: provider.name, ...method, ...times };
    await this.parts.methods.saveAsDefault(saved, { tenant, now });
    return id;
  }

  private async openDraft(draft: Invoice, context: Context): Promise<InvoiceRecord> {
    const { customerId, authorizedTransactionId } = draft;
    const number = await this.takeNumber(draft, context);
    // Kept before the charge and whatever comes of it: renewals are charged to the card that the payer chose.
    if (authorizedTransactionId !== undefined) {
      await this.keepMethod({ customerId, authorizedTransactionId }, context);
    }
    const source = await this.sourceOf(draft, context);
    const claimedAt = this.parts.clock.now();
    const opened = await this.invoices(context).mutate(draft.id, (record, now) =>
      openAndCollect(record, { number, source, now, claimedAt }),
    );
    return opened.state;
  }

  private async sourceOf(invoice: Invoice, context: Context): Promise<ChargeSource> {
    if (invoice.authorizedTransactionId !== undefined) return sourceFor(invoice, undefined);
    return sourceFor(invoice, await this.parts.methods.defaultOf(invoice.customerId, context));
  }

  private takeNumber({ id }: Invoice, { tenant }: Context): Promise<string> {
    return this.parts.numbers.take({ environmentId: tenant.environmentId, invoiceId: id });
  }

  private async finishAttempt(record: InvoiceRecord, context: Context): Promise<void> {
    if (record.isTombstone || record.attempt === undefined) return;
    const { number: attemptNumber } = record.attempt;
    const { environmentId } = context.tenant;
    const paymentId = derivedId(environmentId, 'payment', record.id, attemptNumber);
    const { provider, outcome } = await this.charge(record, record.attempt, context);
    // Another worker may have recorded it, and a write that loses its race is decided again: the last decision counts.
    let isRecorded = false as boolean;
    await this.invoices(context).mutate(record.id, (current, now) => {
      const result = { attemptNumber, paymentId, provider, outcome, now };
      const transition = recordResult(current, result);
      isRecorded = transition.state !== current;
      return transition;
    });
    if (isRecorded) this.parts.metrics?.recordPayment(outcome.status);
  }

  // The attempt may be a resumed one, whose outcome is unknown: the provider is asked before it is charged again with the same key.
  private async charge(
    invoice: Invoice,
    attempt: Attempt,
    context: Context,
  ): Promise<{ provider: string; outcome: FinalOutcome }> {
    const source = await this.providerSource(attempt.source, context);
    if (source === undefined) {
      const failureCode = 'no_payment_method';
      return {
        provider: 'none',
        outcome: declined(failureCode, undefined),
      };
    }
    const provider = this.parts.providerOf(context.tenant);
    const key = chargeKey(invoice.id, attempt);
    const { currency, customerId } = invoice;
    const request = {
      key,
      amount: totalOf(invoice),
      currency,
      customerId,
      invoiceId: invoice.id,
      source,
      returnUrl: undefined,
    };
    const outcome = (await provider.findCharge(request)) ?? (await provider.charge(request));
    if (outcome.status === 'REQUIRES_ACTION')
      throw new Error(`${key} waits for a payer who is not there`);
    return { provider: provider.name, outcome };
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
        const { providerMethodId } = await this.parts.methods.get(source.paymentMethodId, context);
        return { kind: 'METHOD', providerMethodId };
      }
    }
  }

  private invoices(context: Context) {
    return this.parts.invoices.within(context);
  }
}
