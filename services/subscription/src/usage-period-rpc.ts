import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import type { MeterPrice } from '@billing/proto/billing/catalog/v1/catalog';
import type { UsagePeriod } from '@billing/proto/billing/subscription/v1/subscription';
import type { Peers } from './peers';
import { currentPeriod, isEntitled, periodOf, type Subscription } from './subscription';
import type { Subscriptions } from './subscription-store';
import { pinnedSet, ratesAt } from './usage-period';

/** A set of meter prices, as catalog tells it. */
export interface MeterPrices {
  readonly set: number;
  readonly prices: readonly MeterPrice[];
}

const noMeterPrices: MeterPrices = { set: 0, prices: [] };
const perPage = 100;

/** The meter prices by which a billed period counts; null: the trial. */
export async function meterPricesOf(
  { state, createdAt }: Stored<Subscription>,
  periodIndex: number | null,
  context: CallContext,
  { meterPrices }: Peers,
): Promise<MeterPrices> {
  const { productId } = state;
  if (periodIndex === null) {
    return meterPrices.find({ productId, at: ratesAt(state.startAt, { createdAt }) }, context);
  }
  const set = pinnedSet(state, periodIndex);
  if (set === noMeterPrices.set) return noMeterPrices;
  if (set !== undefined) return meterPrices.find({ productId, at: undefined, set }, context);
  const at = ratesAt(periodOf(state, periodIndex).start, { createdAt });
  return meterPrices.find({ productId, at }, context);
}

/** All subscriptions that a customer ever had, the earliest created first. */
export async function subscriptionsOf(
  customerId: string,
  context: CallContext,
  subscriptions: Subscriptions,
): Promise<Stored<Subscription>[]> {
  const found: Stored<Subscription>[] = [];
  for (let page = 1; ; page += 1) {
    const { data, total } = await subscriptions.list({ customerId }, { page, perPage }, context);
    found.push(...data);
    if (data.length === 0 || found.length >= total) return found.reverse();
  }
}

/** The running periods of a customer's subscriptions, with the meter prices that count in them. */
export async function usagePeriodsOf(
  customerId: string,
  context: CallContext,
  { subscriptions, peers }: { readonly subscriptions: Subscriptions; readonly peers: Peers },
): Promise<UsagePeriod[]> {
  const all = await subscriptionsOf(customerId, context, subscriptions);
  const running = all.filter(({ state: { phase } }) => phase === 'TRIAL' || phase === 'REGULAR');
  return Promise.all(running.map((stored) => toProtoUsagePeriod(stored, context, peers)));
}

async function toProtoUsagePeriod(
  stored: Stored<Subscription>,
  context: CallContext,
  peers: Peers,
): Promise<UsagePeriod> {
  const { state } = stored;
  const { start, end } = currentPeriod(state);
  const { periodIndex, productId } = state;
  const { prices } = await meterPricesOf(stored, periodIndex, context, peers);
  return {
    subscriptionId: state.id,
    productId,
    start,
    end,
    trial: periodIndex === null,
    entitled: isEntitled(state),
    currency: state.price.currency,
    meterPrices: [...prices],
  };
}
