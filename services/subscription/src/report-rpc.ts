import type { CallContext } from '@billing/chassis/call-context';
import { rpcService } from '@billing/chassis/rpc';
import { calendarDayOf } from '@billing/kernel/calendar-day';
import { refuseProblems, wholeNumberProblems } from '@billing/kernel/input-problems';
import {
  type CountSubscriptionsResponse,
  type CurrencyRevenue as ProtoCurrencyRevenue,
  type SubscriptionReportServiceServer,
  SubscriptionReportServiceService,
} from '@billing/proto/billing/subscription/v1/report';
import type { ReportStore } from './report-store';
import { type CurrencyRevenue, monthsUntil, recurringCount, revenueReport } from './revenue-report';

const monthsMax = 120;

/** The RPCs of subscriptions as figures. */
export function reportRpc({ reports }: { readonly reports: ReportStore }) {
  return rpcService<SubscriptionReportServiceServer>(SubscriptionReportServiceService, {
    getRevenue: async ({ months }, context) => {
      refuseProblems({ months: wholeNumberProblems(months, { min: 1, max: monthsMax }) });
      const revenue = await reports.revenue(context);
      const shown = monthsUntil(context.now, months);
      return { currencies: revenueReport(revenue.months, shown).map(toProtoCurrencyRevenue) };
    },

    countSubscriptions: (_request, context) => countSubscriptions(context, reports),
  });
}

async function countSubscriptions(
  context: CallContext,
  reports: ReportStore,
): Promise<CountSubscriptionsResponse> {
  const [revenue, pastDue, renewals] = await Promise.all([
    reports.revenue(context),
    reports.countPastDue(context),
    reports.countRenewals(context, calendarDayOf(context.now).end),
  ]);
  const recurring = recurringCount(revenue.months);
  return {
    trialing: revenue.trialing,
    active: recurring - BigInt(pastDue),
    pastDue: BigInt(pastDue),
    renewalsLeftToday: BigInt(renewals),
  };
}

// No call changes what a subscription brings.
function toProtoCurrencyRevenue({ currency, months }: CurrencyRevenue): ProtoCurrencyRevenue {
  return {
    currency,
    months: months.map(({ month, startedAmount, endedAmount, mrr, started, ended }) => ({
      month,
      newAmount: startedAmount,
      expansionAmount: 0n,
      contractionAmount: 0n,
      churnedAmount: endedAmount,
      mrr,
      started,
      ended,
    })),
  };
}
