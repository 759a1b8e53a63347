import { z } from 'zod';
import type { UsageState } from '../../gen/billing/metering/v1/metering';
import { currency, decimal, id, time, toJsonAmount, toJsonTime } from '../scalars';

export const UsageStateJson = z.object({
  meterId: id,
  meterName: z.string(),
  unit: z.string().nullable(),
  subscriptionId: id.nullable(),
  periodStart: time.meta({
    description: "Start of the subscription's period, or of the calendar month.",
  }),
  periodEnd: time,
  usage: decimal,
  includedUnits: decimal,
  creditsGranted: decimal,
  creditsRemaining: decimal,
  balance: decimal.meta({ description: 'Included units plus credits, minus usage.' }),
  overage: decimal,
  estimatedAmount: z.int().nullable().meta({
    description:
      "In the currency's smallest unit. Null if the meter has no price, or if the amount exceeds the maximum amount of an invoice.",
  }),
  currency: currency.nullable(),
  entitled: z.boolean(),
  asOf: time,
});
export type UsageStateJson = z.infer<typeof UsageStateJson>;

/** Usage and remaining credits of a customer and meter in REST responses. */
export function toJsonUsageState(state: UsageState): UsageStateJson {
  const { estimatedAmount } = state;
  return {
    meterId: state.meterId,
    meterName: state.meterName,
    unit: state.unit ?? null,
    subscriptionId: state.subscriptionId ?? null,
    periodStart: toJsonTime(state.periodStart),
    periodEnd: toJsonTime(state.periodEnd),
    usage: state.usage,
    includedUnits: state.includedUnits,
    creditsGranted: state.creditsGranted,
    creditsRemaining: state.creditsRemaining,
    balance: state.balance,
    overage: state.overage,
    estimatedAmount: estimatedAmount === undefined ? null : toJsonAmount(estimatedAmount),
    currency: state.currency ?? null,
    entitled: state.entitled,
    asOf: toJsonTime(state.asOf),
  };
}
