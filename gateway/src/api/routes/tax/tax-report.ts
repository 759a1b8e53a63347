import { z } from 'zod';
import { TaxReportRowJson, toJsonTaxReportRow } from '@billing/proto/json/tax/tax-report';
import { ok } from '../../../http/answer';
import { readQuery } from '../../input/input';
import type { Route } from '../route';

// The report reads every invoice of its days.
const deadlineMs = 60_000;

const TaxReport = z.object({
  from: z.string().meta({ description: 'First day (UTC).', examples: ['2026-01-01'] }),
  to: z.string().meta({
    description: 'Day (UTC) after the last one, at most 400 days after `from`.',
    examples: ['2026-02-01'],
  }),
});

export const taxReportRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/tax-report',
    deadlineMs,
    operation: {
      id: 'getTaxReport',
      summary: 'Get the tax report',
      description:
        'Sums by currency and tax terms: invoices on the day on which they became final, less credit notes on their day and voided invoices on the day of their void.',
      query: TaxReport,
      answer: { status: 200, schema: z.array(TaxReportRowJson).meta({ id: 'TaxReport' }) },
    },
    handle: async (request, peers) => {
      const days = readQuery(TaxReport, request);
      const { rows } = await peers.checkoutReport.getTaxReport(days, request.context);
      return ok(rows.map(toJsonTaxReportRow));
    },
  },
];
