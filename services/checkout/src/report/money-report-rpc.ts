import type { CallContext } from '@billing/chassis/call-context';
import { refuseProblems, wholeNumberProblems } from '@billing/kernel/input-problems';
import { taxReportProblems, toReportSpan } from '@billing/kernel/input/tax-report';
import type { TaxReportRow as ProtoTaxReportRow } from '@billing/proto/billing/checkout/v1/report';
import { taxReasons } from '@billing/proto/values/checkout';
import type { MoneyReportStore } from './money-report-store';
import { lastMonths, paymentsReport } from './payments-report';
import { type TaxReportRow, taxReportRows } from './tax-report';

const monthsMax = 120;

/** RPCs of the reports on taxes and payments. */
export function moneyReportRpc(reports: MoneyReportStore) {
  return {
    getTaxReport: async (
      request: { readonly from: string; readonly to: string },
      context: CallContext,
    ) => {
      refuseProblems(taxReportProblems(request));
      const totals = await reports.taxes(toReportSpan(request), context);
      return { rows: taxReportRows(totals).map(toProtoRow) };
    },
    getPaymentsReport: async (
      { months: count }: { readonly months: number },
      context: CallContext,
    ) => {
      refuseProblems({ months: wholeNumberProblems(count, { min: 1, max: monthsMax }) });
      const months = lastMonths(context.now, count);
      const since = new Date(`${months[0] ?? ''}-01T00:00:00.000Z`);
      const currencies = paymentsReport(await reports.payments(since, context), months);
      return { currencies: currencies.map((one) => ({ ...one, months: [...one.months] })) };
    },
  };
}

function toProtoRow({ reason, state, name, ...row }: TaxReportRow): ProtoTaxReportRow {
  return {
    ...row,
    reason: taxReasons.valueOf(reason),
    state: state ?? undefined,
    name: name ?? undefined,
  };
}
