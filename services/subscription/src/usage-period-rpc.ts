import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import type { BillingPeriod } from '@billing/kernel/billing-period';
import type { MeterPrice } from '@billing/proto/billing/catalog/v1/catalog';
import type {
  ListUsagePeriodsRequest,
  ListUsagePeriodsResponse,
  UsagePeriod,
} from '@billing/proto/billing/subscription/v1/subscription';
import { isEntitled } from './entitlement';
import type { Peers } from './peers';
import { currentPeriod, periodOf, type Subscription } from './subscription';
import type { Subscriptions } from './subscription-store';
import { pinnedSet, ratesAt } from './usage-period';
import { livedWithin } from './usage-settlement';

/** A set of meter prices in the catalog's form. */
export interface MeterPrices {
  readonly set: number;
  readonly prices: readonly MeterPrice[];
}

const noMeterPrices: MeterPrices = { set: 0, prices: [] };
const perPage = 100;

/** Reads the meter prices of a billed period; null: the trial. */
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

/**
 * Lists all subscriptions that a customer ever had, the earliest created first. While a clock
 * stands still, many have the same time of creation: their own ids may derive from a payment, but
 * the ids of their items follow the order of creation.
 */
export async function subscriptionsOf(
  customerId: string,
  context: CallContext,
  subscriptions: Subscriptions,
): Promise<Stored<Subscription>[]> {
  const found: Stored<Subscription>[] = [];
  for (let page = 1; ; page += 1) {
    const { data, total } = await subscriptions.list({ customerId }, { page, perPage }, context);
    found.push(...data);
    if (data.length === 0 || found.length >= total) return found.sort(byCreation);
  }
}

function byCreation(a: Stored<Subscription>, b: Stored<Subscription>): number {
  const apartMs = a.createdAt.getTime() - b.createdAt.getTime();
  if (apartMs !== 0) return apartMs;
  return a.state.itemId < b.state.itemId ? -1 : 1;
}

/**
 * Lists the running periods of a customer's subscriptions, and the recent ones that usage of the
 * last days may belong to, with their meter prices.
 */
export async function usagePeriodsOf(
  { customerId, since }: ListUsagePeriodsRequest,
  context: CallContext,
  { subscriptions, peers }: { readonly subscriptions: Subscriptions; readonly peers: Peers },
): Promise<ListUsagePeriodsResponse> {
  const all = await subscriptionsOf(customerId, context, subscriptions);
  const running = all
    .filter(({ state: { phase } }) => phase === 'TRIAL' || phase === 'REGULAR')
    .map((stored) => ({ stored, index: stored.state.periodIndex, ...currentPeriod(stored.state) }));
  const { now } = context;
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
  const starts = [month, ...running.map(({ start }) => start), since ?? month];
  const from = new Date(Math.min(...starts.map((start) => start.getTime())));
  // A period that begins at this instant counts.
  const end = new Date(now.getTime() + 1);
  const lived = all.flatMap((stored) =>
    livedWithin(stored.state, stored, { start: from, end }).map(({ index, period }) => ({
      stored,
      index,
      ...period,
    })),
  );
  const toProto = (period: ToldPeriod) => toProtoUsagePeriod(period, context, peers);
  const [periods, earlier] = await Promise.all([
    Promise.all(running.map(toProto)),
    Promise.all(lived.map(toProto)),
  ]);
  return { periods, lived: earlier };
}

interface ToldPeriod extends BillingPeriod {
  readonly stored: Stored<Subscription>;
  /** Null: the trial. */
  readonly index: number | null;
}

async function toProtoUsagePeriod(
  { stored, index, start, end }: ToldPeriod,
  context: CallContext,
  peers: Peers,
): Promise<UsagePeriod> {
  const { state } = stored;
  const { prices } = await meterPricesOf(stored, index, context, peers);
  return {
    subscriptionId: state.id,
    productId: state.productId,
    start,
    end,
    trial: index === null,
    entitled: isEntitled(state, stored),
    currency: state.price.currency,
    meterPrices: [...prices],
    periodIndex: index ?? undefined,
  };
}
