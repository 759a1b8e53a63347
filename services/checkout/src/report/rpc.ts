import { rpcService } from '@billing/chassis/rpc';
import { lastDays } from '@billing/kernel/calendar-day';
import {
  type CheckoutReportServiceServer,
  CheckoutReportServiceService,
} from '@billing/proto/billing/checkout/v1/report';
import { checkoutReportCallers } from '../callers';
import { dunningReport } from '../invoice/dunning-report';
import type { ProviderWaitStore } from '../collection/provider-wait-store';
import { reportDaysMax, type ReportStore } from './store';
import { funnelReport } from '../sales/session-funnel';

export interface ReportRpcDependencies {
  readonly reports: ReportStore;
  readonly waits: Pick<ProviderWaitStore, 'count'>;
  /** True if live environments have a payment provider. */
  readonly isLiveConfigured: boolean;
}

/** RPCs of the reports on sessions and invoices. */
export function reportRpc({ reports, waits, isLiveConfigured }: ReportRpcDependencies) {
  return rpcService<CheckoutReportServiceServer>(
    CheckoutReportServiceService,
    {
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

      getProviderState: async (_request, { tenant }) => ({
        isConfigured: !tenant.live || isLiveConfigured,
        waitingInvoices: BigInt(await waits.count(tenant)),
      }),
    },
    { callers: checkoutReportCallers },
  );
}

function readDays({ days }: { readonly days: number }, { now }: { readonly now: Date }): string[] {
  return lastDays(now, { days, max: reportDaysMax }).map(({ day }) => day);
}
