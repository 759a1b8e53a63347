import { type Invoice, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { HostedPageKind } from '@billing/proto/billing/checkout/v1/hosted_page';
import { amountText } from '../amount-text';
import { invoiceDownload } from '../pdf/invoice-download';
import type { Peers } from '../peers';
import { type ApiAnswer, present } from '../route';
import { challengePage, processingPage } from './challenge-page';
import type { FormProblems } from './form-fields';
import { confirmInvoiceCardPage, invoicePage, type InvoiceView } from './invoice-page';
import { readAttempt, readText } from './page-input';
import type { PageRequest, PageRoute } from './page-route';
import {
  answerChallenge,
  beginCardEntry,
  cardEntryOf,
  isBeingPaid,
  type Payable,
  payByCard,
  payBySetup,
  waitingAttempt,
} from './payment-steps';
import { pageAnswer, redirectAnswer } from './shell';

const kind = HostedPageKind.HOSTED_PAGE_KIND_INVOICE;
// A provider may take some seconds.
const paymentDeadlineMs = 25_000;

/** The pages of an invoice that is in no checkout session. */
export const invoicePageRoutes: readonly PageRoute[] = [
  {
    method: 'GET',
    path: '/invoice/:token',
    kind,
    handle: async (request, peers) =>
      showInvoice(await readInvoice(request, peers), request, peers),
  },
  {
    method: 'POST',
    path: '/invoice/:token',
    kind,
    deadlineMs: paymentDeadlineMs,
    handle: async (request, peers) => {
      const invoice = await readInvoice(request, peers);
      if (!isOpen(invoice)) return redirectAnswer(request.path);
      const { form, context } = request;
      const tools = { peers, context, isOptional: false };
      return payByCard(payableOf(invoice, request, peers), form, tools);
    },
  },
  {
    method: 'POST',
    path: '/invoice/:token/challenge',
    kind,
    deadlineMs: paymentDeadlineMs,
    handle: async (request, peers) => {
      const invoice = await readInvoice(request, peers);
      return answerChallenge(payableOf(invoice, request, peers), readAttempt(request.form));
    },
  },
  {
    method: 'POST',
    path: '/invoice/:token/card/begin',
    kind,
    deadlineMs: paymentDeadlineMs,
    handle: async (request, peers) => {
      const invoice = await readInvoice(request, peers);
      if (!isOpen(invoice)) return redirectAnswer(request.path);
      const payable = payableOf(invoice, request, peers);
      return beginCardEntry(payable, { peers, context: request.context });
    },
  },
  {
    method: 'GET',
    path: '/invoice/:token/card',
    kind,
    handle: async (request, peers) => {
      const invoice = await readInvoice(request, peers);
      const setupId = readText(request.query.setup_id);
      if (!isOpen(invoice) || setupId === undefined) return redirectAnswer(request.path);
      return pageAnswer(confirmInvoiceCardPage(await viewOf(invoice, request, peers), setupId));
    },
  },
  {
    method: 'POST',
    path: '/invoice/:token/card',
    kind,
    deadlineMs: paymentDeadlineMs,
    handle: async (request, peers) => {
      const invoice = await readInvoice(request, peers);
      const setupId = readText(request.form.get('setup_id'));
      if (!isOpen(invoice) || setupId === undefined) return redirectAnswer(request.path);
      const payable = payableOf(invoice, request, peers);
      return payBySetup(payable, setupId, { peers, context: request.context });
    },
  },
  {
    method: 'GET',
    path: '/invoice/:token/return',
    kind,
    deadlineMs: paymentDeadlineMs,
    handle: async (request, peers) => {
      const invoice = await readInvoice(request, peers);
      const waiting = waitingAttempt(invoice);
      if (waiting === undefined) return redirectAnswer(request.path);
      const { attempt } = waiting;
      return answerChallenge(payableOf(invoice, request, peers), { attempt, approved: undefined });
    },
  },
  {
    method: 'GET',
    path: '/invoice/:token/pdf',
    kind,
    handle: async (request, peers) => {
      const invoice = await readInvoice(request, peers);
      return invoiceDownload(invoice, { peers, context: request.context });
    },
  },
];

async function readInvoice({ resourceId, context }: PageRequest, peers: Peers): Promise<Invoice> {
  return present((await peers.checkout.getInvoice({ id: resourceId }, context)).invoice);
}

async function viewOf(invoice: Invoice, request: PageRequest, peers: Peers): Promise<InvoiceView> {
  const { context, path, isTest } = request;
  const { customer } = await peers.customer.getCustomer({ id: invoice.customerId }, context);
  return { invoice, customer: present(customer), path, isTest };
}

async function showInvoice(
  invoice: Invoice,
  request: PageRequest,
  peers: Peers,
  problems?: FormProblems,
): Promise<ApiAnswer> {
  const { path, isTest, query, context } = request;
  if (!isOpen(invoice)) return pageAnswer(invoicePage(await viewOf(invoice, request, peers)));
  if (isBeingPaid(invoice)) return pageAnswer(processingPage({ path, isTest }));
  const waiting = waitingAttempt(invoice);
  if (waiting !== undefined && query.card === undefined && problems === undefined) {
    const amount = amountText(invoice.amountDue, invoice.currency);
    const page = { path, isTest, formTargets: [invoice.hostedUrl] };
    return pageAnswer(challengePage(page, { ...waiting, amount }));
  }
  const entry = await cardEntryOf(payableOf(invoice, request, peers), { peers, context });
  return pageAnswer(invoicePage(await viewOf(invoice, request, peers), { entry, problems }));
}

function payableOf(invoice: Invoice, request: PageRequest, peers: Peers): Payable {
  const { context, path, isTest, resourceId: id } = request;
  return {
    customerId: invoice.customerId,
    path,
    url: invoice.hostedUrl ?? '',
    isTest,
    pay: async ({ methodId, returnUrl }) => {
      const source =
        methodId === undefined
          ? undefined
          : ({ $case: 'paymentMethodId', value: methodId } as const);
      const { action } = await peers.payment.payInvoice({ id, source, returnUrl }, context);
      return { action, next: path };
    },
    answer: async (answer) => {
      const { action } = await peers.payment.answerInvoiceChallenge({ id, ...answer }, context);
      return { action, next: path };
    },
    showProblems: (problems) => showInvoice(invoice, request, peers, problems),
  };
}

function isOpen({ status }: Invoice): boolean {
  return status === InvoiceStatus.INVOICE_STATUS_OPEN;
}
