import type { CallContext } from '@billing/chassis/call-context';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import type { Peers } from '../peers';
import { type ApiAnswer, ok, present } from '../http/answer';
import { renderInvoicePdf } from './invoice-pdf';

/** Invoice as a PDF file, generated for each request so that it is always up to date. */
export async function invoiceDownload(
  invoice: Invoice,
  {
    peers,
    context,
  }: { readonly peers: Pick<Peers, 'customer' | 'seller'>; readonly context: CallContext },
): Promise<ApiAnswer> {
  const sha256 = invoice.seller?.logo?.sha256;
  const [{ customer }, logo] = await Promise.all([
    peers.customer.getCustomer({ id: invoice.customerId }, context),
    sha256 === undefined ? undefined : peers.seller.getLogo({ sha256 }, context),
  ]);
  const bytes = await renderInvoicePdf({
    ...{ invoice, customer: present(customer) },
    logo: logo?.data,
    isTest: !context.tenant.live,
  });
  const name = invoice.number ?? 'invoice';
  return ok(bytes, {
    'Content-Type': 'application/pdf',
    'Content-Disposition': `inline; filename="${name.replace(/[^\w-]/g, '')}.pdf"`,
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
}
