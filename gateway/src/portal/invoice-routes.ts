import { notFound } from '@billing/kernel/domain-error';
import { type Invoice, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { amountText } from '@billing/documents/amount-text';
import { creditNotesOf } from '../pdf/downloads';
import type { Peers } from '../peer/peers';
import { type ApiAnswer, present } from '../http/answer';
import { cardReady, type KeptTexts, type PaymentInput } from '../pages/payment/card-form';
import { challengePage, processingPage } from '../pages/payment/challenge-page';
import { type FormProblems, readText } from '../pages/frame/form-fields';
import { amountOf, type InvoiceView, localesOf, payLabel } from '../pages/invoice/page';
import { invoicePayable } from '../pages/invoice/payable';
import { paymentDeadlineMs, paymentRoutes } from '../pages/payment/routes';
import {
  cardEntryOf,
  isAmountRefusal,
  isBeingPaid,
  isPayableStatus,
  type Payable,
  payableAmount,
  payByMethod,
  waitingAttempt,
} from '../pages/payment/steps';
import { type Page, pageAnswer, redirectAnswer } from '../pages/frame/shell';
import { invoiceListPage } from './invoice-list-page';
import { invoiceFrame, portalCreditNotePage, portalInvoicePage } from './invoice-payment';
import type { PortalRequest, PortalRoute } from './route';
import { placeOf } from './shell';

const perPage = 20;
const path = '/portal/invoices/:id';

export const invoiceRoutes: readonly PortalRoute[] = [
  { method: 'GET', path: '/portal/invoices', handle: listInvoices },
  ...paymentRoutes<PortalRequest>({
    path,
    read: async (request, peers) => {
      const invoice = await ownInvoice(request, peers);
      return {
        payable: payableOf(invoice, request, peers),
        isOpen: isPayable(invoice),
        isCardOptional: false,
        next: request.path,
        waitingAttempt: isPayable(invoice) ? waitingAttempt(invoice)?.attempt : undefined,
        download: invoice,
        show: () => showInvoice(invoice, request, peers),
        showNote: async (noteId) => {
          const view = await viewOf(invoice, request, peers);
          return pageAnswer(portalCreditNotePage(request.visit, view, noteId));
        },
        confirmCard: (setupId) => confirmCard(invoice, setupId, request, peers),
      };
    },
  }),
  {
    method: 'POST',
    path: `${path}/method`,
    deadlineMs: paymentDeadlineMs,
    handle: async (request, peers) => {
      const invoice = await ownInvoice(request, peers);
      if (!isPayable(invoice)) return redirectAnswer(request.path);
      const methodId = readText(request.form.get('method'));
      return payByMethod(payableOf(invoice, request, peers), methodId, request.form);
    },
  },
];

async function listInvoices(
  { visit, query, context }: PortalRequest,
  { checkout }: Peers,
): Promise<ApiAnswer> {
  const page = Number(/^[1-9]\d{0,5}$/.exec(readText(query.page) ?? '')?.[0] ?? 1);
  const wanted = { customerId: visit.customerId, page, perPage, issuedOnly: true };
  const { invoices, total } = await checkout.listInvoices(wanted, context);
  const pages = Math.max(1, Math.ceil(total / perPage));
  if (page > pages) return redirectAnswer(`/portal/invoices?page=${String(pages)}`);
  return pageAnswer(invoiceListPage(visit, { invoices, page, pages }));
}

/**
 * Loads an invoice. Throws not_found for invoices of other customers and invoices without a number.
 */
async function ownInvoice(
  { visit, params, context }: PortalRequest,
  { checkout }: Peers,
): Promise<Invoice> {
  const invoice = present((await checkout.getInvoice({ id: params.id ?? '' }, context)).invoice);
  const isDraft = invoice.status === InvoiceStatus.INVOICE_STATUS_DRAFT;
  if (invoice.customerId !== visit.customerId || isDraft) throw notFound('Page');
  return invoice;
}

async function showInvoice(
  invoice: Invoice,
  request: PortalRequest,
  peers: Peers,
  input: PaymentInput = {},
): Promise<ApiAnswer> {
  const { visit, query, context } = request;
  const view = await viewOf(invoice, request, peers);
  if (!isPayable(invoice)) return pageAnswer(portalInvoicePage(visit, view, undefined));
  if (isBeingPaid(invoice)) return visiting(processingPage({ ...view, locales: localesOf(view) }));
  const waiting = waitingAttempt(invoice);
  if (waiting !== undefined && query.card === undefined && input.problems === undefined) {
    const amount = amountText(payableAmount(invoice), invoice.currency);
    return visiting(challengePage({ ...view, locales: localesOf(view) }, { ...waiting, amount }));
  }
  const { customerId } = visit;
  const [entry, { paymentMethods: methods }] = await Promise.all([
    cardEntryOf({ customerId }, { peers, context }),
    peers.paymentMethod.listPaymentMethods({ customerId }, context),
  ]);
  return pageAnswer(portalInvoicePage(visit, view, { methods, entry, ...input }));
}

async function confirmCard(
  invoice: Invoice,
  setupId: string,
  request: PortalRequest,
  peers: Peers,
): Promise<Page> {
  const view = await viewOf(invoice, request, peers);
  const more = amountOf(invoice);
  const aside = cardReady({ place: view, setupId, label: payLabel(invoice), more });
  return invoiceFrame(request.visit, view, aside);
}

async function viewOf(
  invoice: Invoice,
  { visit, path: own, context }: PortalRequest,
  peers: Peers,
): Promise<InvoiceView> {
  const [{ customer }, creditNotes] = await Promise.all([
    peers.customer.getCustomer({ id: visit.customerId }, context),
    creditNotesOf(invoice, { peers, context }),
  ]);
  const { isTest } = visit;
  return { invoice, customer: present(customer), creditNotes, isTest, ...placeOf(visit, own) };
}

function payableOf(invoice: Invoice, request: PortalRequest, peers: Peers): Payable {
  const { context, path: own, visit, network } = request;
  const page = {
    path: own,
    url: `${visit.siteUrl}${own}`,
    isTest: visit.isTest,
    locales: [visit.locale],
    network,
    showProblems: (problems: FormProblems, kept: KeptTexts) =>
      showInvoice(invoice, request, peers, { problems, kept }),
    showRefused: async (kept: KeptTexts) =>
      showInvoice(await ownInvoice(request, peers), request, peers, { kept }),
    showRefusal: (error: unknown) =>
      isAmountRefusal(error)
        ? ownInvoice(request, peers).then((current) =>
            showInvoice(current, request, peers, { isAmountChanged: true }),
          )
        : undefined,
  };
  return invoicePayable(invoice, page, peers, context);
}

/** Invoices of checkouts are paid only on the page of the checkout. */
function isPayable({ status, checkoutSessionId }: Invoice): boolean {
  return isPayableStatus(status) && checkoutSessionId === undefined;
}

// A payment step without redirects to other pages.
function visiting(page: Page): ApiAnswer {
  return pageAnswer({ ...page, isVisit: true });
}
