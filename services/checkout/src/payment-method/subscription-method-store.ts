import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { MethodUse } from './payment-method';
import { giveMethod, newSubscriptionMethod, type SubscriptionMethod } from './subscription-method';

type Context = Pick<CallContext, 'tenant' | 'now'>;

/** Subscriptions that move to the customer's new default, as the payload of a command. */
export interface MovedSubscriptions {
  readonly fromMethodId: string;
  readonly toMethodId: string;
  readonly usedAt: Date;
  readonly savedAt: Date;
}

const perPage = 100;

export const subscriptionMethodDefinition: AggregateDefinition<SubscriptionMethod> = {
  collection: 'subscriptionMethods',
  aggregate: 'subscriptionMethod',
  resource: 'Payment method',
  toDocument: ({ id: _id, ...fields }) => fields,
  fromDocument: (document) => {
    const { _id: id, ...fields } = document as Omit<SubscriptionMethod, 'id'> & { _id: string };
    const { customerId, methodId, usedAt, savedAt } = fields;
    return { id, customerId, methodId, usedAt, savedAt };
  },
  indexes: [{ name: 'customer', keys: { customerId: 1, createdAt: -1, _id: -1 } }],
};

/** Subscriptions with their own payment method. */
export class SubscriptionMethodStore {
  constructor(private readonly methods: AggregateCollection<SubscriptionMethod>) {}

  /** Undefined for a subscription that is charged to its customer's default. */
  async find(subscriptionId: string, context: Context): Promise<SubscriptionMethod | undefined> {
    return (await this.methods.within(context).find(subscriptionId))?.state;
  }

  /** Makes a method a subscription's own, unless its own method was used later. */
  async give(subscriptionId: string, use: MethodUse, context: Context): Promise<void> {
    const methods = this.methods.within(context);
    const { inserted } = await methods.insert(newSubscriptionMethod(subscriptionId, use));
    if (!inserted) await methods.mutate(subscriptionId, (current) => giveMethod(current, use));
  }

  /** Replaces the own method of a subscription; a subscription charged to the default stays so. */
  async replace(subscriptionId: string, use: MethodUse, context: Context): Promise<void> {
    if ((await this.find(subscriptionId, context)) === undefined) return;
    await this.give(subscriptionId, use, context);
  }

  /** Moves the subscriptions of a customer from one method to another. */
  async move(customerId: string, moved: MovedSubscriptions, context: Context): Promise<void> {
    const { fromMethodId, toMethodId: methodId, usedAt, savedAt } = moved;
    const use = { customerId, methodId, usedAt, savedAt };
    for (const own of await this.listOf(customerId, context)) {
      if (own.methodId === fromMethodId) await this.give(own.id, use, context);
    }
  }

  /** Subscriptions of customers. */
  async listOfAll(customerIds: readonly string[], context: Context): Promise<SubscriptionMethod[]> {
    const filter = { customerId: { $in: customerIds } };
    const found = await this.methods.within(context).listAll(filter);
    return found.map(({ state }) => state);
  }

  /** Subscriptions of a customer, newest first. */
  async listOf(customerId: string, context: Context): Promise<SubscriptionMethod[]> {
    const found: SubscriptionMethod[] = [];
    for (let page = 1; ; page += 1) {
      const filter = { customerId };
      const { data, total } = await this.methods.within(context).list({ filter, page, perPage });
      found.push(...data.map(({ state }) => state));
      if (page * perPage >= total) return found;
    }
  }
}
