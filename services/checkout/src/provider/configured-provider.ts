import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { Tenant } from '@billing/chassis/call-context';
import type { Service } from '@billing/chassis/service';
import { noProvider } from './no-provider';
import type { PaymentProvider } from './port/payment-provider';
import { noProviderCharges, type ProviderCharges } from './port/provider-charge';
import { noProviderEvents, type ProviderEvents } from './port/provider-events';
import { type SandboxDispute, sandboxDisputeDefinition, SandboxDisputes } from './sandbox/disputes';
import { SandboxProvider } from './sandbox/provider';
import { ensureSandboxIndexes, SandboxBooks, SandboxStore } from './sandbox/store';
import { StripeCharges } from './stripe/charges';
import { connectStripe } from './stripe/client';
import { StripeEvents } from './stripe/events';
import { StripeProvider } from './stripe/provider';
import { ensureStripeIndexes, findStripeCharge, StripeStore } from './stripe/store';

type StripeConfiguration = Readonly<
  Partial<Record<'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_API_URL', string>>
>;

/** Payment provider of each environment and the source of its webhooks. */
export interface ConfiguredProviders {
  readonly providerOf: (tenant: Tenant) => PaymentProvider;
  /** True if live environments have a provider. */
  readonly isLiveConfigured: boolean;
  readonly events: ProviderEvents;
  /** Disputes of sandboxes, which announce themselves when they are due. */
  readonly sandboxDisputes: AggregateCollection<SandboxDispute>;
  /** Charges of live environments, as the provider lists them. */
  readonly charges: ProviderCharges;
  /** Charge of a payment at the provider; undefined if the payment is not ours. */
  readonly chargeOf: (
    providerPaymentId: string,
  ) => Promise<{ environmentId: string; invoiceId: string } | undefined>;
}

/**
 * Sandboxes always have their own provider, so no test moves money. Live environments have the
 * configured provider or none.
 */
export function configuredProviders(
  service: Pick<Service, 'db' | 'ensureIndexes' | 'logger' | 'aggregates'>,
  config: StripeConfiguration,
): ConfiguredProviders {
  const { db } = service;
  service.ensureIndexes(() => ensureSandboxIndexes(db));
  const books = new SandboxBooks(db);
  const sandboxDisputes = service.aggregates(sandboxDisputeDefinition);
  const { providerOf: liveProviderOf, charges } = liveProvider(service, config);
  return {
    isLiveConfigured: config.STRIPE_SECRET_KEY !== undefined,
    providerOf: (tenant) => {
      if (tenant.live) return liveProviderOf(tenant);
      const { environmentId } = tenant;
      const disputes = new SandboxDisputes(sandboxDisputes, tenant);
      return new SandboxProvider(new SandboxStore(books, environmentId), environmentId, disputes);
    },
    sandboxDisputes,
    charges,
    events: providerEvents(config),
    chargeOf: (paymentIntentId) => findStripeCharge(db, paymentIntentId),
  };
}

function liveProvider(
  service: Pick<Service, 'db' | 'ensureIndexes' | 'logger'>,
  config: StripeConfiguration,
): Pick<ConfiguredProviders, 'providerOf' | 'charges'> {
  const { db } = service;
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_API_URL: apiUrl } = config;
  if (secretKey === undefined) {
    service.logger.warn('payment provider not configured, live environments charge nothing');
    return { providerOf: () => noProvider, charges: noProviderCharges };
  }
  if (config.STRIPE_WEBHOOK_SECRET === undefined) {
    service.logger.warn('STRIPE_WEBHOOK_SECRET not set, payers who do not return are not detected');
  }
  service.ensureIndexes(() => ensureStripeIndexes(db));
  const stripe = connectStripe({ secretKey, apiUrl });
  const storeOf = (environmentId: string) => new StripeStore(db, environmentId);
  return {
    providerOf: (tenant) =>
      new StripeProvider({ stripe, store: storeOf(tenant.environmentId), tenant }),
    charges: new StripeCharges(stripe, storeOf),
  };
}

function providerEvents({ STRIPE_WEBHOOK_SECRET: secret }: StripeConfiguration): ProviderEvents {
  return secret === undefined ? noProviderEvents : new StripeEvents(secret);
}
