import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { chargedByCustomer } from '../peer/customer';
import type { Peers } from '../peer/peers';
import { isCharged } from './expiry-warning';
import type { Payer, PaymentMethod } from './payment-method';
import { payerIdOf } from './store';
import type { SubscriptionMethodStore } from './subscription-method-store';

const cardsMax = 100;
// Cards that no subscription is charged to are left out, so more are read than shown.
const examinedMax = 500;
// As many as one call of a peer can ask for.
const batchSize = 100;
// Cards that expired earlier have failed since, and are shown with the failed payments.
const expiredMsMax = 60 * 86_400_000;

/** Dependencies of the list of expiring cards. */
export interface ExpiringCardDependencies {
  readonly saved: AggregateCollection<PaymentMethod>;
  readonly payers: AggregateCollection<Payer>;
  readonly subscriptions: SubscriptionMethodStore;
  readonly peers: Pick<Peers, 'customers' | 'subscription'>;
}

/** Cards that expire and to which a subscription is charged. */
export class ExpiringCardStore {
  constructor(private readonly dependencies: ExpiringCardDependencies) {}

  /**
   * Lists the cards that expired lately or expire before `until`, the first to expire first;
   * `isMore`: there may be more than these.
   */
  async list(
    until: Date,
    context: CallContext,
  ): Promise<{ cards: PaymentMethod[]; isMore: boolean }> {
    const cards: PaymentMethod[] = [];
    let examined = 0;
    for (const expiresAt of endsOfMonths(context.now.getTime() - expiredMsMax, until)) {
      for (let page = 1, isLast = false; !isLast; page += 1) {
        if (examined >= examinedMax || cards.length > cardsMax) break;
        const range = { filter: { expiresAt }, page, perPage: batchSize };
        const { data, total } = await this.dependencies.saved.within(context).list(range);
        const charged = await this.chargedOf(
          data.map(({ state }) => state),
          context,
        );
        if (charged === undefined) return { cards: [], isMore: true };
        cards.push(...charged);
        examined += data.length;
        isLast = page * batchSize >= total;
      }
    }
    const isMore = examined >= examinedMax || cards.length > cardsMax;
    return { cards: cards.slice(0, cardsMax), isMore };
  }

  /** Undefined while the subscription service is of an earlier release. */
  private async chargedOf(
    cards: readonly PaymentMethod[],
    context: CallContext,
  ): Promise<PaymentMethod[] | undefined> {
    const { payers: records, subscriptions, peers } = this.dependencies;
    const customerIds = [...new Set(cards.map(({ customerId }) => customerId))];
    if (customerIds.length === 0) return [];
    const payerIds = new Set(customerIds.map((id) => payerIdOf(id, context)));
    const [stored, own, charged] = await Promise.all([
      records.within(context).findAll(payerIds),
      subscriptions.listOfAll(customerIds, context),
      chargedByCustomer(customerIds, context, peers),
    ]);
    if (charged === undefined) return undefined;
    const payers = new Map(stored.map(({ state }) => [state.customerId, state]));
    return cards.filter(({ id, customerId }) => {
      const payer = payers.get(customerId);
      const subscriptionIds = charged.get(customerId) ?? [];
      return payer !== undefined && isCharged(id, { subscriptionIds, payer, own });
    });
  }
}

/** First instants of months, which is when cards expire, after one time and up to another. */
function endsOfMonths(afterMs: number, until: Date): Date[] {
  const ends: Date[] = [];
  const after = new Date(afterMs);
  for (let month = after.getUTCMonth() + 1; ; month += 1) {
    const end = new Date(Date.UTC(after.getUTCFullYear(), month, 1));
    if (end > until) return ends;
    ends.push(end);
  }
}
