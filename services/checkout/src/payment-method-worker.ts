import { type CallContext, newResourceId, type Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId } from '@billing/chassis/ids';
import { DomainError } from '@billing/kernel/domain-error';
import { authorizedMethodId, type PaymentMethodStore } from './payment-method-store';
import type { ChargeSource, PaymentProvider, ProviderMethod, TypedCard } from './payment-provider';

type Context = Pick<CallContext, 'tenant' | 'now'>;

/** A payment that was authorised at the provider. */
export interface Authorization {
  readonly customerId: string;
  readonly authorizedTransactionId: string;
}

/** How methods come to be saved: behind an authorisation, typed into our form, or given on the provider's page. */
export class PaymentMethodWorker {
  constructor(
    private readonly parts: {
      readonly store: PaymentMethodStore;
      readonly providerOf: (tenant: Tenant) => PaymentProvider;
      readonly clock: Clock;
    },
  ) {}

  /** Saves the method behind an authorisation as the customer's default. Undefined where the provider knows none. */
  async keepAuthorized(
    authorization: Authorization,
    context: Context,
    times = { usedAt: context.now, savedAt: this.parts.clock.now() },
  ): Promise<string | undefined> {
    const method = await this.providerOf(context).resolveAuthorization(authorization);
    if (method === undefined) return undefined;
    const { customerId } = authorization;
    const id = authorizedMethodId(authorization, context.tenant);
    const saved = this.methodOf(id, { customerId, method, times }, context);
    await this.parts.store.saveAsDefault(saved, context);
    return id;
  }

  /** Makes what was charged, or confirmed, the customer's default; an authorisation's method is saved first. */
  async prefer(
    { customerId, source }: { readonly customerId: string; readonly source: ChargeSource },
    times: { readonly usedAt: Date; readonly savedAt: Date },
    context: Context,
  ): Promise<void> {
    switch (source.kind) {
      case 'NONE':
        return;
      case 'METHOD': {
        const { paymentMethodId: methodId } = source;
        await this.parts.store.prefer({ customerId, methodId, ...times }, context);
        return;
      }
      case 'AUTHORIZATION': {
        const { authorizedTransactionId } = source;
        await this.keepAuthorized({ customerId, authorizedTransactionId }, context, times);
      }
    }
  }

  /** Saves a card that was typed into our form. The number goes to the provider and nowhere else. */
  async enterCard(
    { customerId, card }: { readonly customerId: string; readonly card: TypedCard },
    context: CallContext,
  ): Promise<string> {
    const { cardEntry } = this.providerOf(context);
    if (cardEntry.kind === 'REDIRECT') {
      const message = "Cards are given on the provider's own page";
      throw new DomainError('failed_precondition', 'CARD_ENTRY_ELSEWHERE', message);
    }
    if (cardEntry.kind === 'NONE') throw noProviderForCards();
    const id = newResourceId(context, 'paymentMethod');
    const now = this.parts.clock.now();
    const method = await cardEntry.save({ key: id, customerId, card, now });
    return this.save(id, { customerId, method }, context);
  }

  /** How cards are given. Begins the provider's own page, where that is asked for by an address to come back to. */
  async beginEntry(
    { customerId, returnUrl }: { readonly customerId: string; readonly returnUrl: string },
    context: Context,
  ): Promise<{ redirectUrl: string | undefined; testCards: boolean; providerPage: boolean }> {
    const { cardEntry, name } = this.providerOf(context);
    const providerPage = cardEntry.kind === 'REDIRECT';
    const isBegun = providerPage && returnUrl !== '';
    const redirectUrl = isBegun ? await cardEntry.begin({ customerId, returnUrl }) : undefined;
    return { redirectUrl, testCards: name === 'sandbox', providerPage };
  }

  /** Saves the method that was given on the provider's page. */
  async finishEntry(
    entry: { readonly customerId: string; readonly setupId: string },
    context: Context,
  ): Promise<string> {
    const { cardEntry } = this.providerOf(context);
    const method = cardEntry.kind === 'REDIRECT' ? await cardEntry.finish(entry) : undefined;
    if (method === undefined) {
      const message = 'The card was not given';
      throw new DomainError('failed_precondition', 'CARD_ENTRY_UNFINISHED', message);
    }
    const { customerId, setupId } = entry;
    const id = derivedId(context.tenant.environmentId, 'paymentMethodSetup', customerId, setupId);
    return this.save(id, { customerId, method }, context);
  }

  private async save(
    id: string,
    given: { readonly customerId: string; readonly method: ProviderMethod },
    context: Context,
  ): Promise<string> {
    const times = { usedAt: context.now, savedAt: this.parts.clock.now() };
    await this.parts.store.save(this.methodOf(id, { ...given, times }, context), context);
    return id;
  }

  private methodOf(
    id: string,
    {
      customerId,
      method,
      times,
    }: { customerId: string; method: ProviderMethod; times: { usedAt: Date; savedAt: Date } },
    context: Context,
  ) {
    return { id, customerId, provider: this.providerOf(context).name, ...method, ...times };
  }

  private providerOf({ tenant }: Context): PaymentProvider {
    return this.parts.providerOf(tenant);
  }
}

function noProviderForCards(): DomainError {
  const message = 'No payment provider is configured';
  return new DomainError('failed_precondition', 'NO_PAYMENT_PROVIDER', message);
}
