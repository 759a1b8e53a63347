import { systemClock } from '@billing/chassis/clock';
import { newId } from '@billing/chassis/ids';
import type { MongoConnection } from '@billing/chassis/mongo';
import type { ChargeRequest, ProviderSource } from '../provider/port/payment-provider';
import { connectStripe } from '../provider/stripe/client';
import { StripeProvider } from '../provider/stripe/provider';
import { StripeStore } from '../provider/stripe/store';
import type { TestCard } from './stripe-account';
import type { TestStripe } from './stripe-provider';

/** A customer in a separate environment, charged through Stripe's library at a simulated Stripe. */
export function aStripe(mongo: MongoConnection, stripe: TestStripe, environmentId = newId()) {
  const tenant = { organizationId: newId(), environmentId };
  const customerId = newId();
  const open = () =>
    new StripeProvider({
      stripe: connectStripe({ secretKey: 'sk_test_secret', apiUrl: stripe.url }),
      store: new StripeStore(mongo.db, environmentId),
      tenant,
    });
  const save = async (card: TestCard = {}): Promise<ProviderSource> => {
    const method = await giveCard(open(), { stripe, customerId, card });
    return { kind: 'METHOD', providerMethodId: method };
  };
  const request = (source: ProviderSource, more: Partial<ChargeRequest> = {}): ChargeRequest => ({
    key: `${newId()}:1`,
    amount: 2900n,
    currency: 'USD',
    customerId,
    invoiceId: newId(),
    source,
    startedAt: systemClock.now(),
    returnUrl: undefined,
    ...more,
  });
  return { open, tenant, customerId, save, request, account: stripe.account };
}

/** Simulates a payer who gives a card on Stripe's page. */
async function giveCard(
  provider: StripeProvider,
  { stripe, customerId, card }: { stripe: TestStripe; customerId: string; card: TestCard },
): Promise<string> {
  const { cardEntry } = provider;
  if (cardEntry.kind !== 'REDIRECT') throw new Error('Cards are not given elsewhere');
  const returnUrl = 'https://pay.example/return?setup={SETUP_ID}';
  const url = await cardEntry.begin({ customerId, returnUrl });
  const setupId = url.split('/').at(-1) ?? '';
  stripe.account.completeSession(setupId, card);
  const method = await cardEntry.finish({ customerId, setupId });
  if (method === undefined) throw new Error('No card was given');
  return method.providerMethodId;
}
