import { z } from 'zod';
import type { TaxReportRow } from '../../gen/billing/checkout/v1/report';
import { taxReasons } from '../../values/checkout';
import { taxReason } from '../invoice-tax';
import { currency, decimal, toJsonAmount } from '../scalars';

const text = z.string().nullable();
const sum = z.int().meta({
  description:
    "In the currency's smallest unit; below 0 where more was credited or voided than invoiced.",
});

/** Row of the tax report: documents of one currency with equal tax terms. */
export const TaxReportRowJson = z
  .object({
    currency,
    country: z.string().meta({ description: 'ISO 3166-1 alpha-2.' }),
    state: text,
    reason: taxReason,
    name: text,
    percent: decimal,
    base: sum,
    tax: sum,
    invoices: z.int().meta({ description: 'Invoices that became final, less voided ones.' }),
    creditNotes: z.int().min(0),
  })
  .meta({ id: 'TaxReportRow' });

/** Converts a row of the tax report. */
export function toJsonTaxReportRow(row: TaxReportRow): z.infer<typeof TaxReportRowJson> {
  const { currency: code, country, state = null, reason, name = null, percent } = row;
  return {
    ...{ currency: code, country, state, reason: taxReasons.nameOf(reason), name, percent },
    ...{ base: toJsonAmount(row.base), tax: toJsonAmount(row.tax) },
    invoices: Number(row.invoices),
    creditNotes: Number(row.creditNotes),
  };
}
