import type { CallContext } from '@billing/chassis/call-context';
import { TaxRateSource } from '@billing/proto/billing/checkout/v1/seller';
import { Customer } from '@billing/proto/billing/customer/v1/customer';
import { type ApiAnswer, present } from '../http/answer';
import { logoOf, pdfAnswer } from '../pdf/downloads';
import { renderInvoicePdf } from '@billing/documents/invoice-pdf';
import type { Peers } from '../peer/peers';
import type { EnvironmentRoute } from './route/route';
import { sampleInvoice } from './sample-invoice';

const ratesPerPage = 100;

/** PDF that shows how invoices of the seller look. */
export const samplePdfRoutes: readonly EnvironmentRoute[] = [
  {
    method: 'GET',
    path: '/seller/sample-pdf',
    isOfEnvironment: true,
    handle: ({ context }, { peers }) => samplePdf(peers, context),
  },
];

async function samplePdf(peers: Peers, context: CallContext): Promise<ApiAnswer> {
  const { now } = context;
  const seller = present((await peers.seller.getSeller({}, context)).seller);
  const { taxRates: ownRates } = await peers.seller.listTaxRates(
    {
      ...{ page: 1, perPage: ratesPerPage, source: TaxRateSource.TAX_RATE_SOURCE_OWN },
      country: seller.address?.country,
    },
    context,
  );
  const invoice = sampleInvoice({ seller, ownRates, now });
  const logo = await logoOf(invoice, { peers, context });
  const customer = Customer.fromPartial({});
  return pdfAnswer(await renderInvoicePdf({ invoice, customer, logo, isTest: true }), 'sample');
}
