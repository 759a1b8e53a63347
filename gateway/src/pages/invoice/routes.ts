import { unlessNotFound } from '@billing/kernel/domain-error';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import { HostedPageKind } from '@billing/proto/billing/checkout/v1/hosted_page';
import { amountText } from '@billing/documents/amount-text';
import { creditNotesOf } from '../../pdf/downloads';
import type { Peers } from '../../peer/peers';
import { type ApiAnswer, present } from '../../http/answer';
import { challengePage, processingPage } from '../payment/challenge-page';
import type { PaymentInput } from '../payment/card-form';
import { creditNotePage } from './credit-note-page';
import { confirmInvoiceCardPage, invoicePage, type InvoiceView, localesOf } from './page';
import { invoicePayable } from './payable';
import type { PageRequest, PageRoute } from '../frame/route';
import { paymentRoutes } from '../payment/routes';
import {
  cardEntryOf,
  isAmountRefusal,
  isBeingPaid,
  isPayableStatus,
  type Payable,
  payableAmount,
  waitingAttempt,
} from '../payment/steps';
import { pageAnswer } from '../frame/shell';

const kind = HostedPageKind.HOSTED_PAGE_KIND_INVOICE;

/** Pages of invoices without a checkout session. */
export const invoicePageRoutes: readonly PageRoute[] = paymentRoutes<PageRequest>({
  path: '/invoice/:token',
  read: async (request, peers) => {
    const read = await readInvoice(request, peers);
    const { invoice } = read;
    return {
      payable: payableOf(read, request, peers),
      isOpen: isOpen(invoice),
      isCardOptional: false,
      next: request.path,
      waitingAttempt: waitingAttempt(invoice)?.attempt,
      download: invoice,
      show: () => showInvoice(read, request, peers),
      showNote: async (noteId) =>
        pageAnswer(creditNotePage(await viewOf(read, request, peers), noteId)),
      confirmCard: async (setupId) =>
        confirmInvoiceCardPage(await viewOf(read, request, peers), setupId),
    };
  },
}).map((route) => ({ ...route, kind }));

/** An invoice with the customer, in whose language its pages are. */
type ReadInvoice = Pick<InvoiceView, 'invoice' | 'customer'>;

async function readInvoice(
  { resourceId, context }: PageRequest,
  { checkout, customer }: Peers,
): Promise<ReadInvoice> {
  const invoice = present((await checkout.getInvoice({ id: resourceId }, context)).invoice);
  const found = await unlessNotFound(customer.getCustomer({ id: invoice.customerId }, context));
  return { invoice, customer: found?.customer };
}

async function viewOf(
  read: ReadInvoice,
  { context, path, isTest }: PageRequest,
  peers: Peers,
): Promise<InvoiceView> {
  const creditNotes = await creditNotesOf(read.invoice, { peers, context });
  return { ...read, creditNotes, path, isTest };
}

async function showInvoice(
  read: ReadInvoice,
  request: PageRequest,
  peers: Peers,
  input: PaymentInput = {},
): Promise<ApiAnswer> {
  const { path, isTest, query, context } = request;
  const { invoice } = read;
  const view = await viewOf(read, request, peers);
  if (!isOpen(invoice)) return pageAnswer(invoicePage(view));
  const locales = localesOf(read);
  if (isBeingPaid(invoice)) return pageAnswer(processingPage({ path, isTest, locales }));
  const waiting = waitingAttempt(invoice);
  if (waiting !== undefined && query.card === undefined && input.problems === undefined) {
    const amount = amountText(payableAmount(invoice), invoice.currency);
    const page = { path, isTest, formTargets: [invoice.hostedUrl], locales };
    return pageAnswer(challengePage(page, { ...waiting, amount }));
  }
  const entry = await cardEntryOf(invoice, { peers, context });
  return pageAnswer(invoicePage(view, { entry, ...input }));
}

function payableOf(read: ReadInvoice, request: PageRequest, peers: Peers): Payable {
  const { context, path, isTest, network } = request;
  const { invoice } = read;
  return invoicePayable(
    invoice,
    {
      ...{ path, url: invoice.hostedUrl ?? '', isTest, network },
      locales: localesOf(read),
      showProblems: (problems, kept) => showInvoice(read, request, peers, { problems, kept }),
      showRefused: async (kept) =>
        showInvoice(await readInvoice(request, peers), request, peers, { kept }),
      showRefusal: (error) =>
        isAmountRefusal(error)
          ? readInvoice(request, peers).then((current) =>
              showInvoice(current, request, peers, { isAmountChanged: true }),
            )
          : undefined,
    },
    peers,
    context,
  );
}

function isOpen({ status }: Invoice): boolean {
  return isPayableStatus(status);
}
