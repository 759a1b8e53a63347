import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import type { BillingPeriod } from '@billing/kernel/billing-period';
import type {
  ListUsagePeriodsRequest,
  ListUsagePeriodsResponse,
  UsagePeriod,
} from '@billing/proto/billing/subscription/v1/subscription';
import { meterPricesOf } from '../peer/period-prices';
import { isEntitled } from '../subscription/entitlement';
import type { Peers } from '../peer/peers';
import {
  currencyOf,
  currentPeriod,
  mainItem,
  type Subscription,
} from '../subscription/subscription';
import { type Subscriptions, subscriptionsOf } from '../storage/subscription-store';
import { boundedStretches } from '../usage/priced-meter';
import { overlappingPeriods } from '../usage/settlement';

/**
 * Lists the running periods of a customer's subscriptions, and the recent ones that usage of the
 * last days may belong to, with their meter prices.
 */
export async function listUsagePeriods(
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
    overlappingPeriods(stored.state, stored, { start: from, end }).map(({ index, period }) => ({
      stored,
      index,
      ...period,
    })),
  );
  const toProto = (period: ReportedPeriod) => toProtoUsagePeriod(period, context, peers);
  const [periods, earlier] = await Promise.all([
    Promise.all(running.map(toProto)),
    Promise.all(lived.map(toProto)),
  ]);
  return { periods, lived: earlier };
}

interface ReportedPeriod extends BillingPeriod {
  readonly stored: Stored<Subscription>;
  /** Null: the trial. */
  readonly index: number | null;
}

async function toProtoUsagePeriod(
  { stored, index, start, end }: ReportedPeriod,
  context: CallContext,
  peers: Peers,
): Promise<UsagePeriod> {
  const { state } = stored;
  const found = await meterPricesOf(stored, index, context, peers);
  const stretches = boundedStretches({ start, end }, found.stretches).map((stretch) => ({
    ...{ start: stretch.start, end: stretch.end },
    meterPrices: stretch.prices.map(({ price }) => price),
  }));
  return {
    subscriptionId: state.id,
    productId: mainItem(state).productId,
    start,
    end,
    trial: index === null,
    entitled: isEntitled(state, stored),
    currency: currencyOf(state),
    meterPrices: stretches.at(-1)?.meterPrices ?? [],
    periodIndex: index ?? undefined,
    stretches: stretches.length > 1 ? stretches : [],
  };
}
