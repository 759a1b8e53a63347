import type { CallContext } from '@billing/chassis/call-context';
import type { AsyncHandlers } from '@billing/chassis/rpc';
import { Decimal } from '@billing/kernel/decimal';
import type {
  MeteringServiceServer,
  UsageState as ProtoUsageState,
} from '@billing/proto/billing/metering/v1/metering';
import { accountsOf } from '../credit/account-store';
import { periodsFor, runningUsages, type UsageDependencies } from '../credit/read-running-usage';
import type { RunningUsage } from '../credit/running-usage';
import { requireCustomer } from '../peer/customers';
import type { SeriesStore } from '../usage/series-store';
import { usageState } from './usage-state';

type UsageStateCalls = Pick<AsyncHandlers<MeteringServiceServer>, 'getUsageState'>;

export interface UsageStateDependencies extends UsageDependencies {
  readonly series: SeriesStore;
}

const none = Decimal.of(0n);

/** The RPC for the usage and balances of a customer. */
export function usageStateCalls(dependencies: UsageStateDependencies): UsageStateCalls {
  return {
    getUsageState: async ({ customerId }, context) => {
      const states = await usageStates(customerId, context, dependencies);
      const closed = dependencies.closedCreditsOf(context);
      const closedUnits = ({ account, period }: RunningUsage) =>
        account === undefined ? none : closed.grantedBeyond(account, period.start);
      const units = await Promise.all(states.map(async (one) => closedUnits(one)));
      return {
        states: states.map((one, index) => toProtoUsageState(one, context.now, units[index])),
      };
    },
  };
}

/** Usage states of a customer, for each meter with usage, credits or a price. */
async function usageStates(
  customerId: string,
  context: CallContext,
  dependencies: UsageStateDependencies,
): Promise<RunningUsage[]> {
  await requireCustomer(dependencies.peers, customerId, context);
  const [accounts, used] = await Promise.all([
    accountsOf(dependencies, customerId, context),
    dependencies.series.metersUsed(context.tenant, customerId),
  ]);
  const periods = await periodsFor({ customerId, accounts }, context, dependencies);
  const priced = periods.running.flatMap(({ prices }) => [...prices.keys()]);
  const ids = [...new Set([...priced, ...accounts.map(({ meterId }) => meterId), ...used])];
  const running = await runningUsages(
    { customerId, meterIds: ids, periods, accounts },
    context,
    dependencies,
  );
  return running.filter(({ used: { events }, account, terms }) => {
    const hasCredits = (account?.grants.length ?? 0) > 0 || account?.closed !== undefined;
    return events > 0 || hasCredits || terms !== undefined;
  });
}

export function toProtoUsageState(
  { meter, account, period, terms, burnt, used: { quantity: used } }: RunningUsage,
  now: Date,
  closedUnits?: Decimal,
): ProtoUsageState {
  const state = usageState(burnt, { period, now, account, closedUnits, terms, used });
  return {
    meterId: meter.id,
    meterName: meter.name,
    unit: meter.unit ?? undefined,
    subscriptionId: terms?.subscriptionId,
    periodStart: period.start,
    periodEnd: period.end,
    usage: state.usage.toString(),
    includedUnits: state.includedUnits.toString(),
    creditsGranted: state.creditsGranted.toString(),
    creditsRemaining: state.creditsRemaining.toString(),
    balance: state.balance.toString(),
    overage: state.overage.toString(),
    estimatedAmount: state.estimatedAmount,
    currency: terms?.currency,
    entitled: state.entitled,
    asOf: now,
  };
}
