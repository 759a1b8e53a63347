import type { AggregateDefinition } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import type { MethodUse } from './payment-method';
import { giveMethod, newSubscriptionMethod, type SubscriptionMethod } from './subscription-method';

type Context = Pick<CallContext, 'tenant' | 'now'>;

/** Which subscriptions follow their customer to another default, in the payload of a command. */
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

/** The subscriptions that have a payment method of their own. */
export class SubscriptionMethodStore {
  constructor(private readonly methods: AggregateCollection<SubscriptionMethod>) {}

  /** Undefined for a subscription that is charged to its customer's default. */
  async find(subscriptionId: string, context: Context): Promise<SubscriptionMethod | undefined> {
    return (await this.methods.within(context).find(subscriptionId))?.state;
  }

  /** Makes a method the own one of a subscription, unless a later one is. */
  async give(subscriptionId: string, use: MethodUse, context: Context): Promise<void> {
    const methods = this.methods.within(context);
    const { inserted } = await methods.insert(newSubscriptionMethod(subscriptionId, use));
    if (!inserted) await methods.mutate(subscriptionId, (current) => giveMethod(current, use));
  }

  /** Gives another method to a subscription that has an own one; one that is charged to the default stays so. */
  async replace(subscriptionId: string, use: MethodUse, context: Context): Promise<void> {
    if ((await this.find(subscriptionId, context)) === undefined) return;
    await this.give(subscriptionId, use, context);
  }

  /** Has the subscriptions of a customer that are charged to one method be charged to another. */
  async move(customerId: string, moved: MovedSubscriptions, context: Context): Promise<void> {
    const { fromMethodId, toMethodId: methodId, usedAt, savedAt } = moved;
    const use = { customerId, methodId, usedAt, savedAt };
    for (const own of await this.listOf(customerId, context)) {
      if (own.methodId === fromMethodId) await this.give(own.id, use, context);
    }
  }

  /** Those of a customer, the newest first. */
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
