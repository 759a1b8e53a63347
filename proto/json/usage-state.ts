import type { UsageState } from '../gen/billing/metering/v1/metering';
import { toJsonAmount, toJsonTime } from './scalars';

/** Usage and remaining credits of a customer and meter in REST responses. */
export function toJsonUsageState(state: UsageState) {
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
