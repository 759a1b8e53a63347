import type { Stored } from '@billing/chassis/aggregate';
import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import { readPage } from '@billing/chassis/request-fields';
import { rpcService } from '@billing/chassis/rpc';
import { lastDays } from '@billing/kernel/calendar-day';
import { invalidInput, notFound } from '@billing/kernel/domain-error';
import {
  type CheckoutReportServiceServer,
  CheckoutReportServiceService,
  type InvoiceCollection as ProtoInvoiceCollection,
  type RiskKind as ProtoRiskKind,
} from '@billing/proto/billing/checkout/v1/report';
import { riskKinds } from '@billing/proto/values/checkout';
import { checkoutReportCallers } from '../peer/callers';
import { dunningReport } from '../invoice/document/dunning-report';
import type { InvoiceRecord } from '../invoice/invoice';
import { invoiceCollection } from './invoice-collection';
import { type InvoicePages, toProtoInvoice } from '../invoice/rpc';
import { invoicesAtRisk, type RiskKind } from '../invoice/shown-invoices';
import type { ProviderWaitStore } from '../collection/provider-wait-store';
import { reportDaysMax, type ReportStore } from './store';
import { moneyReportRpc } from './money-report-rpc';
import { SalesStore } from './sales-store';
import { funnelReport } from '../sales/session-funnel';

export interface ReportRpcDependencies {
  readonly reports: ReportStore;
  readonly invoices: AggregateCollection<InvoiceRecord>;
  readonly pages: InvoicePages;
  readonly waits: Pick<ProviderWaitStore, 'count'>;
  /** True if live environments have a payment provider. */
  readonly isLiveConfigured: boolean;
}

/** RPCs of the reports on sessions and invoices. */
export function reportRpc(dependencies: ReportRpcDependencies) {
  const { reports, invoices, pages, waits, isLiveConfigured } = dependencies;
  const sales = new SalesStore(invoices);
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

      listInvoicesAtRisk: async (request, context) => {
        const { data, total } = await invoices.within(context).list({
          filter: invoicesAtRisk(fromProtoRiskKind(request.kind), context.now),
          ...readPage(request),
        });
        return { invoices: data.map((stored) => toProtoCollection(stored, pages)), total };
      },

      getInvoiceCollection: async ({ invoiceId }, context) => {
        const stored = await invoices.within(context).find(invoiceId);
        if (stored === undefined || stored.state.isTombstone) throw notFound('Invoice');
        return { collection: toProtoCollection(stored, pages) };
      },

      getCustomerAccount: async ({ customerId }, context) => sales.accountsOf(customerId, context),

      ...moneyReportRpc(reports.money),

      getRecentSales: async (_request, context) => {
        const [recent, hasPayment] = await Promise.all([
          sales.recent(context),
          sales.hasPayment(context),
        ]);
        return { ...recent, hasPayment };
      },

      getProviderState: async (_request, { tenant }) => ({
        isConfigured: !tenant.live || isLiveConfigured,
        waitingInvoices: BigInt(await waits.count(tenant)),
      }),
    },
    { callers: checkoutReportCallers },
  );
}

function toProtoCollection(
  stored: Stored<InvoiceRecord>,
  pages: InvoicePages,
): ProtoInvoiceCollection {
  const { state } = stored;
  if (state.isTombstone) throw new Error(`Invoice ${state.id} is a tombstone`);
  return { invoice: toProtoInvoice(stored, pages), ...invoiceCollection(state) };
}

function fromProtoRiskKind(sent: ProtoRiskKind | undefined): RiskKind | undefined {
  if (sent === undefined) return undefined;
  const kind = riskKinds.knownName(sent);
  if (kind === undefined) throw invalidInput({ kind: ['Invalid kind'] });
  return kind;
}

function readDays({ days }: { readonly days: number }, { now }: { readonly now: Date }): string[] {
  return lastDays(now, { days, max: reportDaysMax }).map(({ day }) => day);
}
