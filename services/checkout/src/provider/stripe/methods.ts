import type Stripe from 'stripe';
import type { Tenant } from '@billing/chassis/call-context';
import type { CardExpiry, ProviderMethod } from '../port/payment-provider';
import {
  isCardError,
  isMissing,
  isRefusal,
  keyed,
  type StripeClient,
  unlessMissing,
} from './client';
import type { StripeStore } from './store';

type PaymentMethod = Stripe.PaymentMethod;
type Reference = string | { readonly id: string } | null;

/** Dependencies of the clients of one environment. */
export interface StripeDependencies {
  readonly stripe: StripeClient;
  readonly store: StripeStore;
  readonly tenant: Pick<Tenant, 'organizationId' | 'environmentId'>;
}

const cardOnly: ['card'] = ['card'];
const setupPattern = /^cs_\w+$/;
const paymentPattern = /^pi_\w+$/;
const setupIntentPattern = /^seti_\w+$/;
const placeholder = '{SETUP_ID}';
// Placeholder that Stripe replaces when the payer returns with a card, and its fixed value when
// they return without.
const stripePlaceholder = '{CHECKOUT_SESSION_ID}';
const notGiven = 'none';

/** True if an authorization is a card saved without an amount. */
export function isSetup(authorizedTransactionId: string): boolean {
  return setupIntentPattern.test(authorizedTransactionId);
}

/** Id of an authorized payment; undefined if the text cannot be one. */
export function paymentIntentIdOf(authorizedTransactionId: string): string | undefined {
  return paymentPattern.test(authorizedTransactionId) ? authorizedTransactionId : undefined;
}

/** Customers and their saved cards at Stripe. */
export class StripeMethodClient {
  constructor(private readonly dependencies: StripeDependencies) {}

  /** Opens Stripe's own page for a card and returns its address. */
  async begin(entry: { readonly customerId: string; readonly returnUrl: string }): Promise<string> {
    const { customerId } = entry;
    const customer = await this.customerOf(customerId);
    try {
      return await this.open(entry, customer);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await this.dependencies.store.removeCustomer(customerId, customer);
      return this.open(entry, await this.customerOf(customerId, { after: customer }));
    }
  }

  /**
   * The card given on Stripe's page; undefined if there is none, or if the page belongs to another
   * customer.
   */
  async finish(entry: {
    readonly customerId: string;
    readonly setupId: string;
  }): Promise<ProviderMethod | undefined> {
    if (!setupPattern.test(entry.setupId)) return undefined;
    const { stripe, store } = this.dependencies;
    const session = await unlessMissing(
      stripe.checkout.sessions.retrieve(entry.setupId, { expand: ['setup_intent.payment_method'] }),
    );
    const owner = await store.customerOf(entry.customerId);
    if (session === undefined || owner === undefined || idOf(session.customer) !== owner) {
      return undefined;
    }
    const { setup_intent: setup } = session;
    if (setup === null || typeof setup === 'string' || setup.status !== 'succeeded')
      return undefined;
    return toProviderMethod(setup.payment_method);
  }

  /**
   * The card behind a payment or a setup made elsewhere, saved for the customer; undefined if no
   * card can be saved.
   */
  async resolve(authorization: {
    readonly authorizedTransactionId: string;
    readonly customerId: string;
  }): Promise<ProviderMethod | undefined> {
    const { customerId } = authorization;
    const found = await this.methodBehind(authorization.authorizedTransactionId);
    const method = found === undefined ? undefined : toProviderMethod(found.method);
    if (found === undefined || method === undefined) return undefined;
    if (found.holder === undefined) {
      return (await this.attach(method.providerMethodId, found.payer, customerId))
        ? method
        : undefined;
    }
    return (await this.dependencies.store.adoptCustomer(customerId, found.holder))
      ? method
      : undefined;
  }

  /**
   * Customer of a saved card at Stripe; undefined if Stripe no longer has the card, or no customer
   * for it.
   */
  async holderOf(providerMethodId: string): Promise<string | undefined> {
    const { stripe } = this.dependencies;
    const method = await unlessMissing(stripe.paymentMethods.retrieve(providerMethodId));
    return method?.type === 'card' ? idOf(method.customer) : undefined;
  }

  /** Expiry of a saved card; undefined if Stripe no longer has the card. */
  async expiryOf(providerMethodId: string): Promise<CardExpiry | undefined> {
    const { stripe } = this.dependencies;
    const method = await unlessMissing(stripe.paymentMethods.retrieve(providerMethodId));
    return method === undefined ? undefined : toProviderMethod(method)?.expiry;
  }

  /** Detaches a card from its customer. */
  async detach(providerMethodId: string): Promise<void> {
    const { stripe } = this.dependencies;
    const method = await unlessMissing(stripe.paymentMethods.retrieve(providerMethodId));
    // Stripe refuses to detach a card twice.
    if (method === undefined || method.customer === null) return;
    await stripe.paymentMethods.detach(providerMethodId);
  }

  private async open(
    { customerId, returnUrl }: { readonly customerId: string; readonly returnUrl: string },
    customer: string,
  ): Promise<string> {
    const { url } = await this.dependencies.stripe.checkout.sessions.create({
      mode: 'setup',
      allowed_payment_method_types: cardOnly,
      customer,
      success_url: returnUrl.replaceAll(placeholder, stripePlaceholder),
      cancel_url: returnUrl.replaceAll(placeholder, notGiven),
      metadata: this.metadataOf(customerId),
    });
    if (url === null) throw new Error('Stripe returned no page for a card');
    return url;
  }

  /**
   * The customer at Stripe to which new cards are saved. Of two created concurrently one stays
   * unused: the first entry decides. A successor is created under its own key, because Stripe would
   * otherwise replay the earlier one.
   */
  private async customerOf(customerId: string, { after = '' } = {}): Promise<string> {
    const { stripe, store, tenant } = this.dependencies;
    const known = await store.customerOf(customerId);
    if (known !== undefined) return known;
    const made = await keyed(`${tenant.environmentId}:${customerId}:customer:${after}`, (options) =>
      stripe.customers.create({ metadata: this.metadataOf(customerId) }, options),
    );
    const first = await store.claimCustomer(customerId, made.id);
    if (first === undefined)
      throw new Error(`Customer ${made.id} at Stripe belongs to another customer`);
    return first;
  }

  private async methodBehind(authorizedTransactionId: string): Promise<
    | {
        readonly method: PaymentMethod | string | null;
        readonly holder: string | undefined;
        readonly payer: string | undefined;
      }
    | undefined
  > {
    const { stripe } = this.dependencies;
    const expand = { expand: ['payment_method'] };
    const isSetupIntent = isSetup(authorizedTransactionId);
    if (!isSetupIntent && paymentIntentIdOf(authorizedTransactionId) === undefined)
      return undefined;
    const intent = await unlessMissing<{
      status: string;
      metadata: Readonly<Record<string, string>> | null;
      customer: Reference;
      payment_method: PaymentMethod | string | null;
    }>(
      isSetupIntent
        ? stripe.setupIntents.retrieve(authorizedTransactionId, expand)
        : stripe.paymentIntents.retrieve(authorizedTransactionId, expand),
    );
    if (intent === undefined || !['succeeded', 'requires_capture'].includes(intent.status)) {
      return undefined;
    }
    if (isOfAnotherEnvironment(intent, this.dependencies.tenant)) return undefined;
    const { payment_method: method } = intent;
    const holder = method === null || typeof method === 'string' ? null : method.customer;
    return { method, holder: idOf(holder), payer: idOf(intent.customer) };
  }

  // A card that was used once without being saved cannot be saved later: Stripe refuses.
  private async attach(
    methodId: string,
    payer: string | undefined,
    customerId: string,
  ): Promise<boolean> {
    const { stripe, store } = this.dependencies;
    if (payer !== undefined && !(await store.adoptCustomer(customerId, payer))) return false;
    try {
      const customer = payer ?? (await this.customerOf(customerId));
      await stripe.paymentMethods.attach(methodId, { customer });
      return true;
    } catch (error) {
      if (isRefusal(error) || isCardError(error)) return false;
      throw error;
    }
  }

  private metadataOf(customerId: string): Record<string, string> {
    const { organizationId, environmentId } = this.dependencies.tenant;
    return {
      billing_organization_id: organizationId,
      billing_environment_id: environmentId,
      billing_customer_id: customerId,
    };
  }
}

/** True if another of our environments made or used a payment: one account may serve several. */
export function isOfAnotherEnvironment(
  { metadata }: { readonly metadata: Readonly<Record<string, string>> | null | undefined },
  { environmentId }: Pick<Tenant, 'environmentId'>,
): boolean {
  const owner = metadata?.billing_environment_id;
  return owner !== undefined && owner !== '' && owner !== environmentId;
}

/** Id of an object that Stripe returns whole or by its id. */
export function idOf(reference: Reference | undefined): string | undefined {
  if (reference === null || reference === undefined) return undefined;
  return typeof reference === 'string' ? reference : reference.id;
}

function toProviderMethod(method: PaymentMethod | string | null): ProviderMethod | undefined {
  if (method === null || typeof method === 'string' || method.card === undefined) return undefined;
  const { brand, last4, exp_month: month, exp_year: year, country } = method.card;
  const expiry = { month, year };
  return { providerMethodId: method.id, brand, last4, expiry, country: country ?? undefined };
}
