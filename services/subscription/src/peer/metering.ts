import type { Stored } from '@billing/chassis/aggregate';
import type { CallContext } from '@billing/chassis/call-context';
import type { BillingPeriod } from '@billing/kernel/billing-period';
import type {
  UsageQuantity as ProtoUsageQuantity,
  UsageWindow,
} from '@billing/proto/billing/metering/v1/metering';
import { settlementKeys } from '../over-limit/settlement-attempt';
import { type Subscriptions, subscriptionsOf } from '../subscription-store';
import type { Subscription } from '../subscription/subscription';
import {
  overlappingPeriods,
  type SettledPeriod,
  settledPeriods,
  type Settlement,
} from '../usage/settlement';
import type { SettledUsage, UsageQuantity } from '../usage/usage-line';
import { fromProtoMeterRate, type ItemMeterPrice, meterPricesOf } from './catalog';
import type { Peers } from './peers';

export interface SettlementDependencies {
  readonly subscriptions: Subscriptions;
  readonly peers: Peers;
}

/** A period with the meters priced in it. */
interface PricedPeriod extends SettledPeriod {
  readonly prices: readonly ItemMeterPrice[];
}

/**
 * Orders a settlement of usage, once for each attempt: a retry returns the result of the first
 * call. Undefined where no meter is priced in any of the periods, so that a subscription without
 * metered prices never waits for metering.
 */
export async function settleUsage(
  stored: Stored<Subscription>,
  settlement: Settlement,
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<SettledUsage[] | undefined> {
  const periods = await pricedPeriods(stored, settlement, context, dependencies);
  if (periods.every(({ prices }) => prices.length === 0)) return undefined;
  const earlier = await earlierSubscriptions(stored, context, dependencies);
  const windows = await Promise.all(
    periods.map((period) => toProtoWindow(period, earlier, context, dependencies)),
  );
  const { id: subscriptionId, customer } = stored.state;
  const request = {
    subscriptionId,
    customerId: customer.id,
    windows,
    ...settlementKeys(stored.state.usage, settlement),
  };
  const { usages } = await dependencies.peers.metering.settleUsage(request, context);
  return usages.map(({ periodIndex, meterId, meterName, current, previous }) => {
    const period = periods.find(({ index }) => index === periodIndex);
    const priced = period?.prices.find(({ price }) => price.meterId === meterId);
    if (period === undefined || priced === undefined || current === undefined) {
      throw new Error(`A settlement contains a meter that was not requested: ${meterId}`);
    }
    const { item, price } = priced;
    return {
      item: { itemId: item.id, productId: item.productId },
      rate: fromProtoMeterRate(price),
      meterName: meterName ?? item.productName,
      period: { start: period.start, end: period.end },
      current: fromProtoUsageQuantity(current),
      previous: previous === undefined ? undefined : fromProtoUsageQuantity(previous),
    };
  });
}

function pricedPeriods(
  stored: Stored<Subscription>,
  settlement: Settlement,
  context: CallContext,
  { peers }: SettlementDependencies,
): Promise<PricedPeriod[]> {
  const periods = settledPeriods(stored.state, stored, settlement);
  return Promise.all(
    periods.map(async (period) => ({
      ...period,
      prices: (await meterPricesOf(stored, period.index, context, peers)).prices,
    })),
  );
}

/** The customer's earlier subscriptions: where they price a meter too, the usage is theirs. */
async function earlierSubscriptions(
  { state: { id, customer } }: Stored<Subscription>,
  context: CallContext,
  { subscriptions }: SettlementDependencies,
): Promise<Stored<Subscription>[]> {
  const all = await subscriptionsOf(customer.id, context, subscriptions);
  return all.slice(
    0,
    all.findIndex(({ state }) => state.id === id),
  );
}

async function toProtoWindow(
  { index: periodIndex, start, countedUntil: end, prices }: PricedPeriod,
  earlier: readonly Stored<Subscription>[],
  context: CallContext,
  dependencies: SettlementDependencies,
): Promise<UsageWindow> {
  const spans =
    prices.length === 0 ? [] : await pricedSpans({ start, end }, earlier, context, dependencies);
  const meters = prices.map(({ price: { meterId, includedUnits } }) => ({
    meterId,
    includedUnits: includedUnits ?? '0',
    taken: spans.filter(({ meterIds }) => meterIds.has(meterId)).map(({ overlap }) => overlap),
  }));
  return { periodIndex, start, end, meters };
}

/** Returns the time spans of a window in which earlier subscriptions priced which meters. */
async function pricedSpans(
  window: BillingPeriod,
  earlier: readonly Stored<Subscription>[],
  context: CallContext,
  { peers }: SettlementDependencies,
) {
  const lived = earlier.flatMap((stored) =>
    overlappingPeriods(stored.state, stored, window).map((part) => ({ stored, ...part })),
  );
  return Promise.all(
    lived.map(async ({ stored, index, overlap }) => {
      const { prices } = await meterPricesOf(stored, index, context, peers);
      return { overlap, meterIds: new Set(prices.map(({ price }) => price.meterId)) };
    }),
  );
}

function fromProtoUsageQuantity({ quantity, creditsUsed }: ProtoUsageQuantity): UsageQuantity {
  return { quantity, creditsUsed };
}
