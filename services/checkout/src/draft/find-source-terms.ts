import type { AggregateCollection } from '@billing/chassis/aggregate-collection';
import type { CallContext } from '@billing/chassis/call-context';
import { invalidInput } from '@billing/kernel/domain-error';
import type { TaxTerms } from '@billing/kernel/tax/tax';
import type { CreateInvoiceRequest } from '@billing/proto/billing/checkout/v1/checkout';
import type { InvoiceRecord } from '../invoice/invoice';
import type { NewLineItem } from './draft';

/**
 * Adds to lines that correct others the tax terms of those. A line of an invoice without tax is
 * corrected without tax. `home` is the seller's country.
 */
export async function withSourceTerms(
  lineItems: readonly NewLineItem[],
  { lineItems: sent }: Pick<CreateInvoiceRequest, 'lineItems'>,
  context: CallContext,
  {
    invoices,
    home,
  }: { readonly invoices: AggregateCollection<InvoiceRecord>; readonly home: string | undefined },
): Promise<readonly NewLineItem[]> {
  const sourceIds = new Set(sent.flatMap(({ taxedAs }) => taxedAs?.invoiceId ?? []));
  if (sourceIds.size === 0) return lineItems;
  const sources = new Map(
    await Promise.all(
      [...sourceIds].map(async (id) => [id, await invoices.within(context).find(id)] as const),
    ),
  );
  return lineItems.map((line, index) => {
    const taxedAs = sent[index]?.taxedAs;
    if (taxedAs === undefined) return line;
    const source = sources.get(taxedAs.invoiceId)?.state;
    const lines = source === undefined || source.isTombstone ? [] : source.lineItems;
    const corrected = lines.find(({ id }) => id === taxedAs.lineItemId);
    if (corrected === undefined) throw invalidInput({ lineItems: ['taxedAs: Line not found'] });
    return { ...line, taxedAs: corrected.tax ?? untaxedIn(home) };
  });
}

function untaxedIn(country = ''): TaxTerms {
  return { reason: 'OUT_OF_SCOPE', name: null, country, state: null, percent: '0' };
}
