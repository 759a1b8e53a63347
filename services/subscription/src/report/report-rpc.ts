import { mainItem } from '../subscription/subscription';
import type { CallContext } from '@billing/chassis/call-context';
import { rpcService } from '@billing/chassis/rpc';
import { calendarDayOf } from '@billing/kernel/calendar-day';
import { refuseProblems, wholeNumberProblems } from '@billing/kernel/input-problems';
import {
  type CurrencyRevenue as ProtoCurrencyRevenue,
  type ParkedSubscription as ProtoParkedSubscription,
  ParkReason as ProtoParkReason,
  type SubscriptionReportServiceServer,
  SubscriptionReportServiceService,
} from '@billing/proto/billing/subscription/v1/report';
import { subscriptionReportCallers } from '../peer/callers';
import type { ParkReason } from '../parking/parking';
import type { ParkedSubscription, ReportStore } from './report-store';
import {
  activeCount,
  type CurrencyRevenue,
  monthsUntil,
  revenueReport,
  type RevenueSums,
} from './revenue-report';

const monthsMax = 120;

/** The RPCs that report figures about subscriptions. */
export function reportRpc({ reports }: { readonly reports: ReportStore }) {
  return rpcService<SubscriptionReportServiceServer>(
    SubscriptionReportServiceService,
    {
      getRevenue: async ({ months: count }, context) => {
        const shown = readMonths(count, context);
        const { months } = await reports.revenue(context);
        return { currencies: toProtoRevenue(months, shown) };
      },

      getOverview: async ({ months: count }, context) => {
        const shown = readMonths(count, context);
        const [{ months, trialing }, pastDueCount, renewals] = await Promise.all([
          reports.revenue(context),
          reports.countPastDue(context),
          reports.countRenewals(context, calendarDayOf(context.now).end),
        ]);
        const pastDue = BigInt(pastDueCount);
        return {
          currencies: toProtoRevenue(months, shown),
          trialing,
          active: activeCount(months, pastDue),
          pastDue,
          renewalsLeftToday: BigInt(renewals),
        };
      },

      listParkedSubscriptions: async (_request, context) => {
        const { parked, isMore } = await reports.parked(context);
        return { subscriptions: parked.map(toProtoParked), isMore };
      },
    },
    { callers: subscriptionReportCallers },
  );
}

function toProtoParked({ subscription, reason }: ParkedSubscription): ProtoParkedSubscription {
  const { id: subscriptionId, customer } = subscription;
  const { productName } = mainItem(subscription);
  return { subscriptionId, customerId: customer.id, productName, reason: protoReasons[reason] };
}

const protoReasons: Readonly<Record<ParkReason, ProtoParkReason>> = {
  OPEN_INVOICES: ProtoParkReason.PARK_REASON_OPEN_INVOICES,
  INVOICES_A_DAY: ProtoParkReason.PARK_REASON_INVOICES_A_DAY,
  USAGE_TOO_LARGE: ProtoParkReason.PARK_REASON_USAGE_TOO_LARGE,
};

function readMonths(count: number, { now }: Pick<CallContext, 'now'>): string[] {
  refuseProblems({ months: wholeNumberProblems(count, { min: 1, max: monthsMax }) });
  return monthsUntil(now, count);
}

function toProtoRevenue(
  sums: readonly RevenueSums[],
  shown: readonly string[],
): ProtoCurrencyRevenue[] {
  return revenueReport(sums, shown).map(toProtoCurrencyRevenue);
}

function toProtoCurrencyRevenue({ currency, months }: CurrencyRevenue): ProtoCurrencyRevenue {
  return {
    currency,
    months: months.map(({ startedAmount, endedAmount, ...month }) => ({
      ...month,
      newAmount: startedAmount,
      expansionAmount: month.expansion,
      reactivationAmount: month.reactivation,
      contractionAmount: month.contraction,
      churnedAmount: endedAmount,
    })),
  };
}
