import { rpcService } from '@billing/chassis/rpc';
import { lastDays } from '@billing/kernel/calendar-day';
import {
  type CheckoutReportServiceServer,
  CheckoutReportServiceService,
} from '@billing/proto/billing/checkout/v1/report';
import { dunningReport } from './dunning-report';
import { reportDaysMax, type ReportStore } from './report-store';
import { funnelReport } from './session-funnel';

/** The RPCs of sessions and invoices as figures. */
export function reportRpc({ reports }: { readonly reports: ReportStore }) {
  return rpcService<CheckoutReportServiceServer>(CheckoutReportServiceService, {
    getFunnel: async (request, context) => {
      const days = readDays(request, context);
      return { days: funnelReport(await reports.funnel(context), days) };
    },

    getDunning: async (request, context) => {
      const days = readDays(request, context);
      const currencies = dunningReport(await reports.dunning(context), days);
      return {
        currencies: currencies.map((one) => ({
          ...one,
          recoveredByRetry: [...one.recoveredByRetry],
        })),
      };
    },
  });
}

function readDays({ days }: { readonly days: number }, { now }: { readonly now: Date }): string[] {
  return lastDays(now, { days, max: reportDaysMax }).map(({ day }) => day);
}
