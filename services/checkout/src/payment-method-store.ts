import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import type { Transition } from '@billing/kernel/transition';
import {
  isLaterUse,
  keep,
  keepUnpaid,
  methodNotFound,
  type MethodUse,
  newPayer,
  type Payer,
  type PaymentMethod,
  prefer,
  preferFirst,
  remove,
} from './payment-method';
import type { Invoice } from './invoice';
import type { MethodChoice } from './method-choice';
import type { SubscriptionMethod } from './subscription-method';
import type { SubscriptionMethodStore } from './subscription-method-store';

type Context = Pick<CallContext, 'tenant' | 'now'>;

/** Those that were stored before customers could see their methods lack the lists. */
type PayerDocument = Omit<Payer, 'id' | 'methodIds' | 'removedIds'> &
  Partial<Pick<Payer, 'methodIds' | 'removedIds'>> & { readonly _id: string };

export const paymentMethodDefinition: AggregateDefinition<PaymentMethod> = {
  collection: 'paymentMethods',
  aggregate: 'paymentMethod',
  resource: 'Payment method',
  toDocument: ({ id: _id, ...fields }) => fields,
  fromDocument: (document) => {
    const {
      _id: id,
      customerId,
      provider,
      providerMethodId,
      brand,
      last4,
      usedAt,
      savedAt,
    } = document as Omit<PaymentMethod, 'id'> & { _id: string };
    return { id, customerId, provider, providerMethodId, brand, last4, usedAt, savedAt };
  },
};

export const payerDefinition: AggregateDefinition<Payer> = {
  collection: 'payers',
  aggregate: 'payer',
  resource: 'Payer',
  toDocument: ({ id: _id, ...fields }) => fields,
  fromDocument: (document) => {
    const { _id: id, ...payer } = document as PayerDocument;
    const { customerId, defaultMethodId, usedAt, savedAt } = payer;
    const { methodIds = knownOf(payer), removedIds = [] } = payer;
    return { id, customerId, defaultMethodId, usedAt, savedAt, methodIds, removedIds };
  },
};

/** The methods for an invoice, and whether the first becomes the default if it pays. */
export interface KnownChoice extends MethodChoice {
  readonly becomesDefault: boolean;
}

/** Saved payment methods, and which one each customer's invoices are charged to. */
export class PaymentMethodStore {
  constructor(
    private readonly methods: AggregateCollection<PaymentMethod>,
    private readonly payers: AggregateCollection<Payer>,
    readonly subscriptions: SubscriptionMethodStore,
  ) {}

  /** Saves a method that nothing is charged to by itself. A repeat finds it as first saved. */
  async save(method: PaymentMethod, context: Context): Promise<PaymentMethod> {
    const transition = { state: method, events: [], commands: [] };
    return (await this.methods.within(context).insert(transition)).stored.state;
  }

  /** Makes a method that was used the customer's default, unless a later one is. */
  prefer(use: MethodUse, context: Context): Promise<void> {
    return this.note(use, (payer) => prefer(payer, use), context);
  }

  /** Makes a method the default of a customer who has none; true: another one is, and stays it. */
  async preferFirst(use: MethodUse, context: Context): Promise<boolean> {
    await this.note(use, (payer) => preferFirst(payer, use), context);
    return (await this.defaultOf(use.customerId, context)) !== use.methodId;
  }

  /** Gives a customer a method that has not paid yet; the default only where there is none. */
  keepUnpaid(use: MethodUse, context: Context): Promise<void> {
    return this.note(use, (payer) => keepUnpaid(payer, use), context);
  }

  /** The methods that an invoice is charged to: its subscription's own, else the customer's default, and all others for its retries. */
  async choiceFor(
    { customerId, subscriptionId }: Pick<Invoice, 'customerId' | 'subscriptionId'>,
    context: Context,
  ): Promise<KnownChoice> {
    const [stored, given] = await Promise.all([
      this.payers.within(context).find(payerIdOf(customerId, context)),
      subscriptionId === undefined ? undefined : this.subscriptions.find(subscriptionId, context),
    ]);
    const payer = stored?.state;
    const own = given !== undefined && isStillHeld(payer, given) ? given : undefined;
    const defaultId = payer?.defaultMethodId ?? undefined;
    const methodId = own?.methodId ?? defaultId;
    const newestFirst = [...(payer?.methodIds ?? [])].reverse();
    const others = [...(defaultId === undefined ? [] : [defaultId]), ...newestFirst];
    return {
      methodId,
      isOwn: own !== undefined,
      otherMethodIds: [...new Set(others)].filter((id) => id !== methodId),
      becomesDefault: own !== undefined && payer !== undefined && isNewcomer(own, payer),
    };
  }

  async get(id: string, context: Context): Promise<PaymentMethod> {
    return (await this.methods.within(context).get(id)).state;
  }

  async find(id: string, context: Context): Promise<PaymentMethod | undefined> {
    return (await this.methods.within(context).find(id))?.state;
  }

  /** Undefined for a customer who never gave a card. */
  async defaultOf(customerId: string, context: Context): Promise<string | undefined> {
    const payer = await this.payers.within(context).find(payerIdOf(customerId, context));
    return payer?.state.defaultMethodId ?? undefined;
  }

  /** Whether the customer has taken a method back: nothing new may be charged to it. */
  async isRemoved(
    { id, customerId }: Pick<PaymentMethod, 'id' | 'customerId'>,
    context: Context,
  ): Promise<boolean> {
    const payer = await this.payers.within(context).find(payerIdOf(customerId, context));
    return payer?.state.removedIds.includes(id) === true;
  }

  /** What a customer has: the default first, then the latest. */
  async listOf(customerId: string, context: Context): Promise<OwnedMethod[]> {
    const payer = (await this.payers.within(context).find(payerIdOf(customerId, context)))?.state;
    const ids = [...(payer?.methodIds ?? [])].reverse();
    const methods = await Promise.all(ids.map((id) => this.get(id, context)));
    const owned = methods.map((method) => ({
      ...method,
      isDefault: method.id === payer?.defaultMethodId,
    }));
    return [
      ...owned.filter(({ isDefault }) => isDefault),
      ...owned.filter(({ isDefault }) => !isDefault),
    ];
  }

  /** Gives a customer a method that was saved for them. */
  async keep(
    use: MethodUse,
    { asDefault }: { readonly asDefault: boolean },
    context: Context,
  ): Promise<void> {
    const method = await this.find(use.methodId, context);
    if (method?.customerId !== use.customerId) throw methodNotFound();
    await this.note(use, (payer) => keep(payer, use, { asDefault }), context);
  }

  /** Takes a method from a customer for good; `isCharged`: a subscription is charged to their default. */
  async remove(
    { customerId, methodId }: Pick<MethodUse, 'customerId' | 'methodId'>,
    { isCharged }: { readonly isCharged: boolean },
    context: Context,
  ): Promise<void> {
    const payers = this.payers.within(context);
    const payerId = payerIdOf(customerId, context);
    if ((await payers.find(payerId)) === undefined) throw methodNotFound();
    await payers.mutate(payerId, (payer) => remove(payer, methodId, { isCharged }));
  }

  // What a use changes; the first one makes the payer.
  private async note(
    use: MethodUse,
    decide: (payer: Payer) => Transition<Payer>,
    context: Context,
  ): Promise<void> {
    const payers = this.payers.within(context);
    const payerId = payerIdOf(use.customerId, context);
    const { inserted } = await payers.insert(newPayer(payerId, use));
    if (!inserted) await payers.mutate(payerId, decide);
  }
}

/** A method of a customer. */
export interface OwnedMethod extends PaymentMethod {
  readonly isDefault: boolean;
}

function isStillHeld(payer: Payer | undefined, { methodId }: SubscriptionMethod): boolean {
  return payer?.removedIds.includes(methodId) !== true;
}

// Given after the default was used, and not paid with since.
function isNewcomer(own: SubscriptionMethod, { defaultMethodId, usedAt, savedAt }: Payer): boolean {
  const isDefault = own.methodId === defaultMethodId;
  return !isDefault && isLaterUse(own, { methodId: defaultMethodId ?? '', usedAt, savedAt });
}

function knownOf({ defaultMethodId }: Pick<Payer, 'defaultMethodId'>): string[] {
  return defaultMethodId === null ? [] : [defaultMethodId];
}

function payerIdOf(customerId: string, { tenant }: Context): string {
  return derivedId(tenant.environmentId, 'payer', customerId);
}

/** The id of the method behind an authorisation. */
export function authorizedMethodId(
  authorization: { readonly customerId: string; readonly authorizedTransactionId: string },
  { environmentId }: Pick<Tenant, 'environmentId'>,
): string {
  const { customerId, authorizedTransactionId } = authorization;
  return derivedId(environmentId, 'paymentMethod', customerId, authorizedTransactionId);
}
