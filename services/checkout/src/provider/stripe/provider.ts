import type Stripe from 'stripe';
import { DomainError } from '@billing/kernel/domain-error';
import { type DeclineCode, declined } from '../port/decline';
import type {
  CardEntry,
  CardExpiry,
  ChargeOutcome,
  ChargeReference,
  ChargeRequest,
  FinalOutcome,
  PaymentProvider,
  ProviderMethod,
  ProviderSource,
} from '../port/payment-provider';
import type {
  ProviderDispute,
  ProviderRefund,
  RefundOutcome,
  RefundReference,
  RefundRequest,
} from '../port/refund';
import { toStripeAmount } from './amount';
import { isCardError, isRefusal, keyed, toProviderError, unlessMissing } from './client';
import { refusalCodeOf } from './decline';
import {
  idOf,
  isOfAnotherEnvironment,
  isSetup,
  paymentIntentIdOf,
  StripeMethodClient,
  type StripeDependencies,
} from './methods';
import { StripeRefundClient } from './refunds';
import { refusalOf, type StripeAmount, stateOf, type StripeState } from './outcome';
import type { StripePayment } from './store';

type PaymentIntent = Stripe.PaymentIntent;
type Payment = Extract<StripePayment, { kind: 'INTENT' }>;

/**
 * Charges cards at Stripe. A charge is a PaymentIntent in three steps: prepared, which moves no
 * money; recorded as the one for the charge's key; then confirmed. So the same key never charges
 * twice, however late it is retried: our own record, written once, names the only PaymentIntent
 * that is ever confirmed for the key, and a PaymentIntent succeeds at most once.
 */
export class StripeProvider implements PaymentProvider {
  readonly name = 'stripe';
  readonly cardEntry: CardEntry = {
    kind: 'REDIRECT',
    begin: (entry) => guarded(() => this.methods.begin(entry)),
    finish: (entry) => guarded(() => this.methods.finish(entry)),
  };
  private readonly methods: StripeMethodClient;
  private readonly refunds: StripeRefundClient;

  constructor(private readonly dependencies: StripeDependencies) {
    this.methods = new StripeMethodClient(dependencies);
    this.refunds = new StripeRefundClient(dependencies);
  }

  charge(request: ChargeRequest): Promise<ChargeOutcome> {
    const { amount, source } = request;
    if (amount === 0n && source.kind === 'METHOD') return Promise.resolve(verified(source));
    return guarded(async () => {
      const { payment, intent } = await this.paymentFor(request);
      if (payment.kind === 'REFUSED') return declined(payment.failureCode, undefined);
      checkSame(payment, request);
      const current = intent ?? (await this.retrieve(payment));
      const state = stateOf(current, payment);
      if (state.kind !== 'PREPARED') return this.settle(state, payment);
      return this.settle(await this.ask(current, payment, request), payment);
    });
  }

  findCharge({ key }: ChargeReference): Promise<ChargeOutcome | undefined> {
    return guarded(async () => {
      const payment = await this.dependencies.store.findPayment(key);
      if (payment === undefined) return undefined;
      if (payment.kind === 'REFUSED') return declined(payment.failureCode, undefined);
      const state = stateOf(await this.retrieve(payment), payment);
      return state.kind === 'PREPARED' ? undefined : this.settle(state, payment);
    });
  }

  // Stripe knows the payer's answer.
  async continueCharge(
    charge: ChargeReference & { readonly approved: boolean | undefined },
  ): Promise<ChargeOutcome> {
    const outcome = await this.findCharge(charge);
    if (outcome === undefined) throw new Error(`No charge with key ${charge.key}`);
    return outcome;
  }

  cancelCharge({ key }: ChargeReference): Promise<FinalOutcome> {
    return guarded(async () => {
      // A charge that was never requested is recorded as refused, so that a late step cannot
      // request it.
      const payment = await this.claim(key, refused('authentication_required'));
      if (payment.kind === 'REFUSED') return declined(payment.failureCode, undefined);
      const state = stateOf(await this.retrieve(payment), payment);
      return state.kind === 'ENDED' ? state.outcome : this.end(state, payment);
    });
  }

  resolveAuthorization(authorization: {
    readonly authorizedTransactionId: string;
    readonly customerId: string;
  }): Promise<ProviderMethod | undefined> {
    return guarded(() => this.methods.resolve(authorization));
  }

  expiryOf(providerMethodId: string): Promise<CardExpiry | undefined> {
    return guarded(() => this.methods.expiryOf(providerMethodId));
  }

  detach(providerMethodId: string): Promise<void> {
    return guarded(() => this.methods.detach(providerMethodId));
  }

  refund(request: RefundRequest): Promise<RefundOutcome> {
    return guarded(async () => {
      const { charge } = request;
      const payment = await this.paymentOf(charge);
      const state = stateOf(await this.retrieve(payment), payment);
      if (state.kind !== 'ENDED' || state.outcome.status !== 'SUCCEEDED') {
        throw new Error(`No charge with key ${charge.key}`);
      }
      return this.refunds.refund(payment.paymentIntentId, request);
    });
  }

  findRefund({ key, charge }: RefundReference): Promise<RefundOutcome | undefined> {
    return guarded(async () => {
      const { paymentIntentId } = await this.paymentOf(charge);
      return this.refunds.find(paymentIntentId, key);
    });
  }

  listRefunds(charge: ChargeReference): Promise<ProviderRefund[]> {
    return guarded(async () => {
      const { paymentIntentId } = await this.paymentOf(charge);
      return this.refunds.list(paymentIntentId);
    });
  }

  findDispute({
    providerDisputeId,
  }: {
    readonly providerDisputeId: string;
  }): Promise<ProviderDispute | undefined> {
    return guarded(() => this.refunds.findDispute(providerDisputeId));
  }

  private async paymentOf({ key }: ChargeReference): Promise<Payment> {
    const payment = await this.dependencies.store.findPayment(key);
    if (payment?.kind !== 'INTENT') throw new Error(`No charge with key ${key}`);
    return payment;
  }

  private async paymentFor(
    request: ChargeRequest,
  ): Promise<{ payment: StripePayment; intent?: PaymentIntent }> {
    const earlier = await this.dependencies.store.findPayment(request.key);
    if (earlier !== undefined) return { payment: earlier };
    const made = await this.prepare(request);
    if (typeof made === 'string') return { payment: await this.claim(request.key, refused(made)) };
    const { intent, amount, currency } = made;
    const candidate = { kind: 'INTENT', paymentIntentId: intent.id, amount, currency } as const;
    const payment = await this.claim(request.key, candidate);
    return payment === candidate ? { payment, intent } : { payment };
  }

  // The first record for a key stands. A payment already recorded for another key is refused.
  private async claim(key: string, candidate: StripePayment): Promise<StripePayment> {
    const { store } = this.dependencies;
    const first = await store.claimPayment(key, candidate);
    if (first !== undefined) return first;
    const refusal = await store.claimPayment(key, refused('authorization_used'));
    if (refusal === undefined) throw new Error(`Nothing can stand for the key ${key}`);
    return refusal;
  }

  // A PaymentIntent that can bring the amount, or the reason why there is none.
  private async prepare(
    request: ChargeRequest,
  ): Promise<({ intent: PaymentIntent } & StripeAmount) | DeclineCode> {
    const amount = toStripeAmount(request.amount, request.currency);
    if (amount === undefined) return 'amount_not_supported';
    const expected = { amount, currency: request.currency.toLowerCase() };
    const source = await this.sourceOf(request);
    if (source === undefined) return 'authorization_unknown';
    const intent =
      source.kind === 'METHOD'
        ? await this.create(request, expected, source.providerMethodId)
        : await this.findAuthorized(request, expected, source.authorizedTransactionId);
    return typeof intent === 'string' ? intent : { intent, ...expected };
  }

  // A card that was set up elsewhere, without an amount, is charged like a saved one.
  private async sourceOf(request: ChargeRequest): Promise<ProviderSource | undefined> {
    const { source, customerId } = request;
    if (source.kind === 'METHOD' || !isSetup(source.authorizedTransactionId)) return source;
    const { authorizedTransactionId } = source;
    const method = await this.methods.resolve({ authorizedTransactionId, customerId });
    if (method === undefined) return undefined;
    return { kind: 'METHOD', providerMethodId: method.providerMethodId };
  }

  private async create(
    request: ChargeRequest,
    expected: StripeAmount,
    methodId: string,
  ): Promise<PaymentIntent | DeclineCode> {
    const customer = await this.methods.holderOf(methodId);
    if (customer === undefined) return 'payment_method_unavailable';
    const params = {
      ...expected,
      customer,
      payment_method: methodId,
      allowed_payment_method_types: ['card'] as ['card'],
      // Explicit, because a later API version has another default.
      capture_method: 'automatic' as const,
      metadata: this.metadataOf(request),
    };
    try {
      return await keyed(this.keyOf(request, 'create'), (options) =>
        this.dependencies.stripe.paymentIntents.create(params, options),
      );
    } catch (error) {
      const code = isRefusal(error) ? refusalCodeOf(error) : undefined;
      if (code === undefined) throw error;
      return code;
    }
  }

  private async findAuthorized(
    { customerId }: ChargeRequest,
    expected: StripeAmount,
    authorizedTransactionId: string,
  ): Promise<PaymentIntent | DeclineCode> {
    const { stripe, store } = this.dependencies;
    const id = paymentIntentIdOf(authorizedTransactionId);
    if (id === undefined) return 'authorization_unknown';
    const intent = await unlessMissing(
      stripe.paymentIntents.retrieve(id, { expand: ['latest_charge'] }),
    );
    if (intent === undefined) return 'authorization_unknown';
    if (isOfAnotherEnvironment(intent, this.dependencies.tenant)) return 'authorization_used';
    if (intent.status === 'processing') throw stillRuns();
    const { latest_charge: charge } = intent;
    const isRefunded = charge !== null && typeof charge === 'object' && charge.amount_refunded > 0;
    const refusal = refusalOf(intent, { ...expected, isRefunded });
    if (refusal !== undefined) return refusal;
    const payer = idOf(intent.customer);
    const isTheirs = payer === undefined || (await store.adoptCustomer(customerId, payer));
    return isTheirs ? intent : 'authorization_unknown';
  }

  // Requests the money. The outcome is read from the PaymentIntent.
  private async ask(
    intent: PaymentIntent,
    payment: Payment,
    request: ChargeRequest,
  ): Promise<StripeState> {
    try {
      const asked =
        intent.status === 'requires_capture'
          ? await this.capture(payment, request)
          : await this.confirm(payment, request);
      return stateOf(asked, payment);
    } catch (error) {
      if (!isCardError(error) && !isRefusal(error)) throw error;
      const state = stateOf(await this.retrieve(payment), payment);
      if (state.kind !== 'PREPARED') return state;
      if (!isCardError(error) && refusalCodeOf(error) === undefined) throw error;
      // Declined but still open: closed, so that it stays declined.
      return { kind: 'ENDED', outcome: await this.end(state, payment) };
    }
  }

  private confirm({ paymentIntentId }: Payment, request: ChargeRequest): Promise<PaymentIntent> {
    const { returnUrl } = request;
    const presence = returnUrl === undefined ? { off_session: true } : { return_url: returnUrl };
    return keyed(this.keyOf(request, 'confirm'), (options) =>
      this.dependencies.stripe.paymentIntents.confirm(paymentIntentId, presence, options),
    );
  }

  private capture(
    { paymentIntentId, amount }: Payment,
    request: ChargeRequest,
  ): Promise<PaymentIntent> {
    const params = { amount_to_capture: amount, metadata: this.metadataOf(request) };
    return keyed(this.keyOf(request, 'capture'), (options) =>
      this.dependencies.stripe.paymentIntents.capture(paymentIntentId, params, options),
    );
  }

  // Closes the PaymentIntent permanently, so that a failed charge cannot succeed later. If it
  // cannot be canceled, it may have succeeded.
  private async end(before: StripeState, payment: Payment): Promise<FinalOutcome> {
    const canceled = await this.tryToCancel(payment);
    const current = canceled ?? (await this.retrieve(payment));
    const state = stateOf(current, payment);
    if (state.kind !== 'ENDED') throw stillRuns();
    const wasDeclined = before.kind === 'DECLINED' && current.status === 'canceled';
    return wasDeclined ? before.outcome : state.outcome;
  }

  // Undefined if it cannot be canceled, e.g. because it has just succeeded.
  private async tryToCancel({ paymentIntentId }: Payment): Promise<PaymentIntent | undefined> {
    try {
      return await this.dependencies.stripe.paymentIntents.cancel(paymentIntentId);
    } catch (error) {
      if (isRefusal(error)) return undefined;
      throw error;
    }
  }

  private async settle(state: StripeState, payment: Payment): Promise<ChargeOutcome> {
    switch (state.kind) {
      case 'ENDED':
      case 'WAITS':
        return state.outcome;
      case 'DECLINED':
      case 'STUCK':
        return this.end(state, payment);
      case 'PREPARED':
      case 'RUNS':
        throw stillRuns();
    }
  }

  private retrieve({ paymentIntentId }: Payment): Promise<PaymentIntent> {
    return this.dependencies.stripe.paymentIntents.retrieve(paymentIntentId);
  }

  private keyOf({ key }: ChargeRequest, step: string): string {
    return `${this.dependencies.tenant.environmentId}:${key}:${step}`;
  }

  private metadataOf({ key, invoiceId }: ChargeRequest): Record<string, string> {
    const { organizationId, environmentId } = this.dependencies.tenant;
    return {
      billing_organization_id: organizationId,
      billing_environment_id: environmentId,
      billing_invoice_id: invoiceId,
      billing_key: key,
    };
  }
}

// The provider's own page verified the card when the payer gave it, so every such method is
// verified.
function verified({ providerMethodId }: Extract<ProviderSource, { kind: 'METHOD' }>): FinalOutcome {
  return { status: 'SUCCEEDED', providerPaymentId: providerMethodId };
}

function refused(failureCode: DeclineCode): StripePayment {
  return { kind: 'REFUSED', failureCode };
}

function checkSame({ amount, currency }: Payment, request: ChargeRequest): void {
  const isSame =
    toStripeAmount(request.amount, request.currency) === amount &&
    request.currency.toLowerCase() === currency;
  if (!isSame) throw new Error(`The key ${request.key} was used for another charge`);
}

function stillRuns(): DomainError {
  return new DomainError('unavailable', 'PAYMENT_PROCESSING', 'Service unavailable');
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toProviderError(error);
  }
}
