import { type CallContext, newResourceId, type Tenant } from '@billing/chassis/call-context';
import type { Clock } from '@billing/chassis/clock';
import { derivedId } from '@billing/chassis/ids';
import { DomainError } from '@billing/kernel/domain-error';
import type { UsedMethod } from '../invoice/method-use';
import type { MethodUse, PaymentMethod } from './payment-method';
import { authorizedMethodId, type PaymentMethodStore } from './store';
import type {
  ChargeSource,
  PaymentProvider,
  ProviderMethod,
  TypedCard,
} from '../provider/port/payment-provider';

type Context = Pick<CallContext, 'tenant' | 'now'>;
type UseTimes = Pick<MethodUse, 'usedAt' | 'savedAt'>;

/** A payment that was authorized at the provider. */
export interface Authorization {
  readonly customerId: string;
  readonly authorizedTransactionId: string;
}

/** An authorization and the subscription that it was given for; undefined if none. */
export type GivenAuthorization = Authorization & { readonly subscriptionId: string | undefined };

/** Saves methods: behind an authorization, typed into our form, or given on the provider's page. */
export class PaymentMethodWorker {
  constructor(
    private readonly dependencies: {
      readonly store: PaymentMethodStore;
      readonly providerOf: (tenant: Tenant) => PaymentProvider;
      readonly clock: Clock;
    },
  ) {}

  /**
   * Saves the method behind an authorization without a capture: as the own method of its
   * subscription, and as the default of a customer who has none. Undefined if the provider knows no
   * method.
   */
  async keepAuthorized(
    authorization: GivenAuthorization,
    context: Context,
  ): Promise<string | undefined> {
    const use = await this.saveAuthorized(
      authorization,
      timesOf(context, this.dependencies),
      context,
    );
    if (use === undefined) return undefined;
    await this.dependencies.store.keepUnpaid(use, context);
    await this.give(authorization, use, context);
    return use.methodId;
  }

  /**
   * Saves the method behind an authorization that is to be captured: as the own method of its
   * subscription, and as the default of a customer who has none. Returns true if another method is
   * the default.
   */
  async keepBeforeCapture(authorization: GivenAuthorization, context: Context): Promise<boolean> {
    const use = await this.saveAuthorized(
      authorization,
      timesOf(context, this.dependencies),
      context,
    );
    if (use === undefined) return false;
    const hasAnother = await this.dependencies.store.preferFirst(use, context);
    await this.give(authorization, use, context);
    return hasAnother;
  }

  /**
   * Keeps a method that has paid or was verified, as the success says. The method of an
   * authorization is saved first.
   */
  async keepUsed(customerId: string, used: UsedMethod, context: Context): Promise<void> {
    const { source, usedAt, savedAt, keptAs = 'DEFAULT', subscriptionId, replaces } = used;
    const times = { usedAt, savedAt };
    const use = await this.useOf({ customerId, source }, times, context);
    if (use === undefined || !(await this.isHeld(use, context))) return;
    const { store } = this.dependencies;
    if (keptAs === 'DEFAULT') await store.prefer({ ...use, ...times }, context);
    if (keptAs === 'GIVEN')
      await store.prefer(useOf(await store.get(use.methodId, context)), context);
    if (keptAs === 'UNPAID') await store.keepUnpaid({ ...use, ...times }, context);
    if (subscriptionId === undefined || subscriptionId === null) return;
    const given = { ...use, ...times };
    if (replaces === true) await store.subscriptions.replace(subscriptionId, given, context);
    else await store.subscriptions.give(subscriptionId, given, context);
  }

  // A success may be reported days after its attempt.
  private async isHeld(
    { methodId: id, customerId }: Pick<MethodUse, 'methodId' | 'customerId'>,
    context: Context,
  ): Promise<boolean> {
    const { store } = this.dependencies;
    if ((await store.find(id, context)) === undefined) return false;
    return !(await store.isRemoved({ id, customerId }, context));
  }

  private async useOf(
    { customerId, source }: { readonly customerId: string; readonly source: ChargeSource },
    times: UseTimes,
    context: Context,
  ): Promise<MethodUse | undefined> {
    switch (source.kind) {
      case 'NONE':
        return undefined;
      case 'METHOD':
        return { customerId, methodId: source.paymentMethodId, ...times };
      case 'AUTHORIZATION': {
        const { authorizedTransactionId } = source;
        return this.saveAuthorized({ customerId, authorizedTransactionId }, times, context);
      }
    }
  }

  private async give(
    { subscriptionId }: GivenAuthorization,
    use: MethodUse,
    context: Context,
  ): Promise<void> {
    if (subscriptionId === undefined) return;
    await this.dependencies.store.subscriptions.give(subscriptionId, use, context);
  }

  // A retry finds the method as first saved, with the times of the first use, and so decides as the
  // first run did.
  private async saveAuthorized(
    authorization: Authorization,
    times: UseTimes,
    context: Context,
  ): Promise<MethodUse | undefined> {
    const { store } = this.dependencies;
    const id = authorizedMethodId(authorization, context.tenant);
    const known = await store.find(id, context);
    if (known !== undefined) return useOf(known);
    const method = await this.providerOf(context).resolveAuthorization(authorization);
    if (method === undefined) return undefined;
    const { customerId } = authorization;
    return useOf(
      await store.save(this.methodOf(id, { customerId, method, times }, context), context),
    );
  }

  /**
   * Saves a card that was typed into our form. The number is sent to the provider and stored
   * nowhere.
   */
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
    const method = await cardEntry.save({ key: id, customerId, card, now: context.now });
    return this.save(id, { customerId, method }, context);
  }

  /**
   * Returns how cards are entered, and begins the provider's own page if the call gives a return
   * address.
   */
  async beginEntry(
    { customerId, returnUrl }: { readonly customerId: string; readonly returnUrl: string },
    context: Context,
  ): Promise<{ redirectUrl: string | undefined; testCards: boolean; providerPage: boolean }> {
    const { cardEntry, name } = this.providerOf(context);
    const providerPage = cardEntry.kind === 'REDIRECT';
    const isStarted = providerPage && returnUrl !== '';
    const redirectUrl = isStarted ? await cardEntry.begin({ customerId, returnUrl }) : undefined;
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
      const message = 'No card was entered';
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
    const times = timesOf(context, this.dependencies);
    await this.dependencies.store.save(this.methodOf(id, { ...given, times }, context), context);
    return id;
  }

  private methodOf(
    id: string,
    { customerId, method, times }: { customerId: string; method: ProviderMethod; times: UseTimes },
    context: Context,
  ) {
    return { id, customerId, provider: this.providerOf(context).name, ...method, ...times };
  }

  private providerOf({ tenant }: Context): PaymentProvider {
    return this.dependencies.providerOf(tenant);
  }
}

function timesOf({ now: usedAt }: Context, { clock }: { readonly clock: Clock }): UseTimes {
  return { usedAt, savedAt: clock.now() };
}

function useOf({ id: methodId, customerId, usedAt, savedAt }: PaymentMethod): MethodUse {
  return { methodId, customerId, usedAt, savedAt };
}

function noProviderForCards(): DomainError {
  const message = 'No payment provider is configured';
  return new DomainError('failed_precondition', 'NO_PAYMENT_PROVIDER', message);
}
