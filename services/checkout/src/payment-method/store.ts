import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext, Tenant } from '@billing/chassis/call-context';
import { derivedId } from '@billing/chassis/ids';
import type { Transition } from '@billing/kernel/transition';
import { type MethodDetails, UnknownMethodsError, withMethodEvents } from './announcement';
import { encodeMethodEvent } from './events';
import { expiryWarningAt } from './expiry-warning';
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
import type { Invoice } from '../invoice/invoice';
import { endOfExpiry } from '../provider/port/card-form';
import type { CardExpiry } from '../provider/port/payment-provider';
import type { MethodChoice } from '../invoice/method-choice';
import type { SubscriptionMethod } from './subscription-method';
import type { SubscriptionMethodStore } from './subscription-method-store';

type Context = Pick<CallContext, 'tenant' | 'now'>;

/** Documents stored before customers could see their methods lack the lists. */
type PayerDocument = Omit<Payer, 'id' | 'methodIds' | 'removedIds'> &
  Partial<Pick<Payer, 'methodIds' | 'removedIds'>> & { readonly _id: string };

/** Documents stored before expiry and country were known lack them. */
type MethodDocument = Omit<PaymentMethod, 'id' | 'expiry' | 'country' | 'isExpiryWarned'> & {
  readonly _id: string;
  readonly country?: string | null;
  readonly expiry?: CardExpiry | null;
  readonly isExpiryWarned?: boolean;
};

export const paymentMethodDefinition: AggregateDefinition<PaymentMethod> = {
  collection: 'paymentMethods',
  aggregate: 'paymentMethod',
  resource: 'Payment method',
  indexes: [
    { name: 'expiry', keys: { expiresAt: 1 } },
    { name: 'customer', keys: { customerId: 1, createdAt: -1, _id: -1 } },
  ],
  toDocument: ({ id: _id, expiry, country, isExpiryWarned, ...fields }) => ({
    ...fields,
    country: country ?? null,
    isExpiryWarned: isExpiryWarned === true,
    expiry: expiry ?? null,
    expiresAt: expiry === undefined ? null : endOfExpiry(expiry),
  }),
  fromDocument: (document) => {
    const {
      _id: id,
      customerId,
      provider,
      providerMethodId,
      brand,
      last4,
      expiry,
      country,
      usedAt,
      savedAt,
      isExpiryWarned,
    } = document as MethodDocument;
    const card = { brand, last4, expiry: expiry ?? undefined };
    return {
      ...{ id, customerId, provider, providerMethodId, ...card, usedAt, savedAt },
      ...(typeof country === 'string' && { country }),
      ...(isExpiryWarned === true && { isExpiryWarned }),
    };
  },
  dueAt: (method) => {
    const at = expiryWarningAt(method);
    return at === undefined ? undefined : { at, workClass: 'COLLECTION' };
  },
  dueClass: 'COLLECTION',
  // Since warnings.
  scheduleRevision: 1,
};

export const payerDefinition: AggregateDefinition<Payer> = {
  collection: 'payers',
  aggregate: 'payer',
  resource: 'Payer',
  toDocument: ({ id: _id, ...fields }) => fields,
  fromDocument: (document) => {
    const { _id: id, ...payer } = document as PayerDocument;
    const { customerId, defaultMethodId, usedAt, savedAt } = payer;
    const { methodIds = knownOf(payer), removedIds = [], warnedIds } = payer;
    const lists = { methodIds, removedIds, ...(warnedIds !== undefined && { warnedIds }) };
    return { id, customerId, defaultMethodId, usedAt, savedAt, ...lists };
  },
  encodeEvent: encodeMethodEvent,
};

/** The methods for an invoice; the flag says if the first becomes the default when it pays. */
export interface KnownChoice extends MethodChoice {
  readonly becomesDefault: boolean;
}

/** Saved payment methods, and each customer's default. */
export class PaymentMethodStore {
  constructor(
    private readonly methods: AggregateCollection<PaymentMethod>,
    private readonly payers: AggregateCollection<Payer>,
    readonly subscriptions: SubscriptionMethodStore,
  ) {}

  /** Saves a method without making it the default. A retry finds the method as first saved. */
  async save(method: PaymentMethod, context: Context): Promise<PaymentMethod> {
    const transition = { state: method, events: [], commands: [] };
    return (await this.methods.within(context).insert(transition)).stored.state;
  }

  /** Makes a used method the customer's default, unless the default was used later. */
  async prefer(use: MethodUse, context: Context): Promise<void> {
    await this.note(use, (payer) => prefer(payer, use), context);
  }

  /**
   * Makes a method the default of a customer who has none; returns true if another method is and
   * stays the default.
   */
  async preferFirst(use: MethodUse, context: Context): Promise<boolean> {
    const { defaultMethodId } = await this.note(use, (payer) => preferFirst(payer, use), context);
    return defaultMethodId !== use.methodId;
  }

  /**
   * Adds a method that has not paid yet to a customer; it becomes the default only if there is
   * none.
   */
  async keepUnpaid(use: MethodUse, context: Context): Promise<void> {
    await this.note(use, (payer) => keepUnpaid(payer, use), context);
  }

  /**
   * Methods to which an invoice is charged: its subscription's own method, otherwise the customer's
   * default, and all others for its retries.
   */
  async choiceFor(
    { customerId, subscriptionId }: Pick<Invoice, 'customerId' | 'subscriptionId'>,
    context: Context,
  ): Promise<KnownChoice> {
    const [stored, given] = await Promise.all([
      this.payers.within(context).find(payerIdOf(customerId, context)),
      subscriptionId === undefined ? undefined : this.subscriptions.find(subscriptionId, context),
    ]);
    const payer = stored?.state;
    const own = given !== undefined && isKnownMethod(payer, given) ? given : undefined;
    const defaultId = payer?.defaultMethodId ?? undefined;
    const methodId = own?.methodId ?? defaultId;
    const newestFirst = [...(payer?.methodIds ?? [])].reverse();
    const others = [...(defaultId === undefined ? [] : [defaultId]), ...newestFirst];
    return {
      methodId,
      isOwn: own !== undefined,
      otherMethodIds: [...new Set(others)].filter((id) => id !== methodId),
      becomesDefault: own !== undefined && payer !== undefined && isGivenAfterDefault(own, payer),
    };
  }

  /** Country of the card to which an invoice would be charged; undefined: none, or unknown. */
  async cardCountryOf(
    invoice: Pick<Invoice, 'customerId' | 'subscriptionId'>,
    context: Context,
  ): Promise<string | undefined> {
    const { methodId } = await this.choiceFor(invoice, context);
    return methodId === undefined ? undefined : (await this.find(methodId, context))?.country;
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

  /** True if the customer has removed the method: nothing new may be charged to it. */
  async isRemoved(
    { id, customerId }: Pick<PaymentMethod, 'id' | 'customerId'>,
    context: Context,
  ): Promise<boolean> {
    const payer = await this.payers.within(context).find(payerIdOf(customerId, context));
    return payer?.state.removedIds.includes(id) === true;
  }

  /** A customer's methods: the default first, then the newest first. */
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

  /** Adds a method that was saved for a customer to the customer's methods. */
  async keep(
    use: MethodUse,
    { asDefault }: { readonly asDefault: boolean },
    context: Context,
  ): Promise<void> {
    const method = await this.find(use.methodId, context);
    if (method?.customerId !== use.customerId) throw methodNotFound();
    await this.note(use, (payer) => keep(payer, use, { asDefault }), context);
  }

  /**
   * Removes a method from a customer permanently; `isCharged`: a subscription is charged to the
   * default.
   */
  async remove(
    { customerId, methodId }: Pick<MethodUse, 'customerId' | 'methodId'>,
    { isCharged }: { readonly isCharged: boolean },
    context: Context,
  ): Promise<void> {
    const payers = this.payers.within(context);
    const payerId = payerIdOf(customerId, context);
    if ((await payers.find(payerId)) === undefined) throw methodNotFound();
    await this.change(payerId, (payer) => remove(payer, methodId, { isCharged }), context);
  }

  // Applies the change of a use, and returns the payer after it; the first use creates the payer.
  private async note(
    use: MethodUse,
    decide: (payer: Payer) => Transition<Payer>,
    context: Context,
  ): Promise<Payer> {
    const payers = this.payers.within(context);
    const payerId = payerIdOf(use.customerId, context);
    const created = newPayer(payerId, use);
    const methods = await this.detailsOf([use.methodId], context);
    const { stored, inserted } = await payers.insert(withMethodEvents(undefined, created, methods));
    return inserted ? stored.state : await this.change(payerId, decide, context, methods);
  }

  /**
   * Changes a payer and announces the changes of its methods. `given` has the details of methods
   * that are probably changed; a decision that changes others is repeated with theirs.
   */
  private async change(
    payerId: string,
    decide: (payer: Payer) => Transition<Payer>,
    context: Context,
    given: MethodDetails = new Map(),
  ): Promise<Payer> {
    const details = new Map(given);
    for (;;) {
      try {
        const changed = await this.payers.within(context).mutate(payerId, (payer) => {
          return withMethodEvents(payer, decide(payer), details);
        });
        return changed.state;
      } catch (error) {
        if (!(error instanceof UnknownMethodsError)) throw error;
        for (const [id, method] of await this.detailsOf(error.ids, context)) {
          details.set(id, method);
        }
      }
    }
  }

  // Methods that were saved a moment ago are not read.
  private async detailsOf(ids: readonly string[], context: Context): Promise<MethodDetails> {
    const methods = this.methods.within(context);
    const found = await Promise.all(
      ids.map(async (id) => [id, (await methods.getRecent(id)).state] as const),
    );
    return new Map(found);
  }
}

/** A method in a customer's list. */
export interface OwnedMethod extends PaymentMethod {
  readonly isDefault: boolean;
}

function isKnownMethod(payer: Payer | undefined, { methodId }: SubscriptionMethod): boolean {
  return payer?.removedIds.includes(methodId) !== true;
}

// Given after the default was used, and not used in a payment since.
function isGivenAfterDefault(
  own: SubscriptionMethod,
  { defaultMethodId, usedAt, savedAt }: Payer,
): boolean {
  const isDefault = own.methodId === defaultMethodId;
  return !isDefault && isLaterUse(own, { methodId: defaultMethodId ?? '', usedAt, savedAt });
}

function knownOf({ defaultMethodId }: Pick<Payer, 'defaultMethodId'>): string[] {
  return defaultMethodId === null ? [] : [defaultMethodId];
}

/** Id of a customer's payer. */
export function payerIdOf(customerId: string, { tenant }: Context): string {
  return derivedId(tenant.environmentId, 'payer', customerId);
}

/** Id of the method behind an authorization. */
export function authorizedMethodId(
  authorization: { readonly customerId: string; readonly authorizedTransactionId: string },
  { environmentId }: Pick<Tenant, 'environmentId'>,
): string {
  const { customerId, authorizedTransactionId } = authorization;
  return derivedId(environmentId, 'paymentMethod', customerId, authorizedTransactionId);
}
