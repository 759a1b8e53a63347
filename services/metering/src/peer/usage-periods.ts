import type { CallContext } from '@billing/chassis/call-context';
import type { UsagePeriod } from '@billing/proto/billing/subscription/v1/subscription';
import { fromProtoMeterPrice } from '@billing/proto/values/catalog';
import type { Peers } from './peers';
import type { CustomerPeriods, SubscriptionPeriod } from '../usage/subscription-period';

/**
 * Returns past periods from at least `since` on. A customer without subscriptions has none; that
 * usage counts by calendar month.
 */
export async function customerPeriods(
  { subscription }: Pick<Peers, 'subscription'>,
  { customerId, since }: { readonly customerId: string; readonly since: Date | undefined },
  context: CallContext,
): Promise<CustomerPeriods> {
  const { periods, lived } = await subscription.listUsagePeriods({ customerId, since }, context);
  return { running: periods.map(fromProtoUsagePeriod), lived: lived.map(fromProtoUsagePeriod) };
}

function fromProtoUsagePeriod(period: UsagePeriod): SubscriptionPeriod {
  const { subscriptionId, periodIndex, entitled, currency, meterPrices, stretches } = period;
  return {
    subscriptionId,
    index: periodIndex ?? null,
    span: spanOf(period),
    entitled,
    currency,
    prices: fromProtoPrices(meterPrices),
    ...(stretches.length > 0 && {
      stretches: stretches.map((stretch) => ({
        span: spanOf(stretch),
        prices: fromProtoPrices(stretch.meterPrices),
      })),
    }),
  };
}

function fromProtoPrices(prices: UsagePeriod['meterPrices']): SubscriptionPeriod['prices'] {
  return new Map(prices.map((price) => [price.meterId, fromProtoMeterPrice(price)] as const));
}

function spanOf({ start, end }: Pick<UsagePeriod, 'start' | 'end'>): SubscriptionPeriod['span'] {
  if (start === undefined || end === undefined) throw new Error('A period has no bounds');
  return { start, end };
}
