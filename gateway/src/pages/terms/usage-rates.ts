import type { CallContext } from '@billing/chassis/call-context';
import type { MeterPrice } from '@billing/proto/billing/catalog/v1/catalog';
import type { Peers } from '../../peers';
import { type UsageRate, usageRates } from './usage-terms';

interface RateTools {
  readonly peers: Pick<Peers, 'catalog' | 'metering'>;
  readonly context: CallContext;
}

/** Reads the usage prices of a product at an instant. */
export async function usageRatesAt(
  { productId, at }: { productId: string; at: Date },
  tools: RateTools,
): Promise<UsageRate[]> {
  const { peers, context } = tools;
  const { prices } = await peers.catalog.getMeterPrices({ productId, at }, context);
  return usageRatesOf(prices, tools);
}

/** Usage prices from the meter prices of a product, at most 100. */
export async function usageRatesOf(
  prices: readonly MeterPrice[],
  { peers, context }: RateTools,
): Promise<UsageRate[]> {
  if (prices.length === 0) return [];
  const ids = prices.map(({ meterId }) => meterId);
  const { meters } = await peers.metering.getMeters({ ids }, context);
  return usageRates(prices, meters);
}
