import type { CallContext } from '@billing/chassis/call-context';
import type { MeterPrice } from '@billing/proto/billing/catalog/v1/catalog';
import type { Peers } from '../../peer/peers';
import { type UsageRate, usageRates } from './usage-terms';

const metersACall = 100;

interface RateTools {
  readonly peers: Pick<Peers, 'catalog' | 'metering'>;
  readonly context: CallContext;
}

/**
 * Reads the usage prices of products at an instant. A meter that several products price counts for
 * the first of them.
 */
export async function usageRatesAt(
  { productIds, at }: { productIds: readonly string[]; at: Date },
  tools: RateTools,
): Promise<UsageRate[]> {
  const { peers, context } = tools;
  const sets = await Promise.all(
    productIds.map((productId) => peers.catalog.getMeterPrices({ productId, at }, context)),
  );
  const prices = sets.flatMap((set) => set.prices);
  const ofFirst = prices.filter(
    ({ meterId }, index) => prices.findIndex((price) => price.meterId === meterId) === index,
  );
  return usageRatesOf(ofFirst, tools);
}

/** Usage prices from meter prices. */
export async function usageRatesOf(
  prices: readonly MeterPrice[],
  { peers, context }: RateTools,
): Promise<UsageRate[]> {
  if (prices.length === 0) return [];
  const answers = await Promise.all(
    pagesOf(prices.map(({ meterId }) => meterId)).map((ids) =>
      peers.metering.getMeters({ ids }, context),
    ),
  );
  return usageRates(
    prices,
    answers.flatMap(({ meters }) => meters),
  );
}

function pagesOf(ids: readonly string[]): string[][] {
  const count = Math.ceil(ids.length / metersACall);
  return Array.from({ length: count }, (_none, page) =>
    ids.slice(page * metersACall, (page + 1) * metersACall),
  );
}
