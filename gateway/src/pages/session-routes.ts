import { HostedPageKind } from '@billing/proto/billing/checkout/v1/hosted_page';
import { type Session, SessionStatus } from '@billing/proto/billing/checkout/v1/session';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import type { PayerAction } from '@billing/proto/billing/checkout/v1/payment';
import { notFound } from '@billing/kernel/domain-error';
import { amountText } from '../amount-text';
import { invoiceDownload } from '../pdf/invoice-download';
import type { Peers } from '../peers';
import { type ApiAnswer, present } from '../route';
import { challengePage, processingPage } from './challenge-page';
import type { FormProblems } from './form-fields';
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
  type PaymentStep,
} from './payment-steps';
import { purchaseTerms } from './purchase-terms';
import {
  completePage,
  confirmCardPage,
  expiredPage,
  formTargets,
  payPage,
  type SessionView,
  successTarget,
} from './session-page';
import { pageAnswer, redirectAnswer } from './shell';

const kind = HostedPageKind.HOSTED_PAGE_KIND_CHECKOUT_SESSION;
// A provider may take some seconds, and so may the subscription that follows.
const paymentDeadlineMs = 25_000;

/** The pages of a checkout session. */
export const sessionPageRoutes: readonly PageRoute[] = [
  {
    method: 'GET',
    path: '/checkout/:token',
    kind,
    handle: async (request, peers) =>
      showSession(await readSession(request, peers), request, peers),
  },
  {
    method: 'POST',
    path: '/checkout/:token',
    kind,
    deadlineMs: paymentDeadlineMs,
    handle: async (request, peers) => {
      const view = await readSession(request, peers);
      const { context, form } = request;
      if (isClosed(view)) return redirectAnswer(nextOf(view));
      const isOptional = !isCardRequired(view);
      return payByCard(payableOf(view, request, peers), form, { peers, context, isOptional });
    },
  },
  {
    method: 'POST',
    path: '/checkout/:token/challenge',
    kind,
    deadlineMs: paymentDeadlineMs,
    handle: async (request, peers) => {
      const view = await readSession(request, peers);
      const payable = payableOf(view, request, peers);
      return answerChallenge(payable, readAttempt(request.form));
    },
  },
  {
    method: 'POST',
    path: '/checkout/:token/card/begin',
    kind,
    deadlineMs: paymentDeadlineMs,
    handle: async (request, peers) => {
      const view = await readSession(request, peers);
      if (isClosed(view)) return redirectAnswer(nextOf(view));
      const payable = payableOf(view, request, peers);
      return beginCardEntry(payable, { peers, context: request.context });
    },
  },
  {
    method: 'GET',
    path: '/checkout/:token/card',
    kind,
    handle: async (request, peers) => {
      const view = await readSession(request, peers);
      const setupId = readText(request.query.setup_id);
      if (isClosed(view) || setupId === undefined) return redirectAnswer(view.path);
      return pageAnswer(confirmCardPage(view, setupId));
    },
  },
  {
    method: 'POST',
    path: '/checkout/:token/card',
    kind,
    deadlineMs: paymentDeadlineMs,
    handle: async (request, peers) => {
      const view = await readSession(request, peers);
      const setupId = readText(request.form.get('setup_id'));
      if (isClosed(view) || setupId === undefined) return redirectAnswer(nextOf(view));
      const payable = payableOf(view, request, peers);
      return payBySetup(payable, setupId, { peers, context: request.context });
    },
  },
  {
    method: 'GET',
    path: '/checkout/:token/return',
    kind,
    deadlineMs: paymentDeadlineMs,
    handle: async (request, peers) => {
      const view = await readSession(request, peers);
      if (view.action === undefined) return redirectAnswer(nextOf(view));
      const { attempt } = view.action;
      return answerChallenge(payableOf(view, request, peers), { attempt, approved: undefined });
    },
  },
  {
    method: 'GET',
    path: '/checkout/:token/pdf',
    kind,
    handle: async (request, peers) => {
      const { invoice, session } = await readSession(request, peers);
      const isDone = session.status === SessionStatus.SESSION_STATUS_COMPLETE;
      if (!isDone || invoice === undefined) throw notFound('Page');
      return invoiceDownload(invoice, { peers, context: request.context });
    },
  },
];

async function readSession(request: PageRequest, peers: Peers): Promise<SessionView> {
  const { resourceId, context, path, isTest } = request;
  const { session, invoice, action, isPaying } = await peers.session.getSession(
    { id: resourceId },
    context,
  );
  return { session: present(session), invoice, action, isPaying, path, isTest, now: context.now };
}

async function showSession(
  view: SessionView,
  request: PageRequest,
  peers: Peers,
  problems?: FormProblems,
): Promise<ApiAnswer> {
  const { session, invoice, action, isPaying, path, isTest } = view;
  if (session.status === SessionStatus.SESSION_STATUS_COMPLETE)
    return pageAnswer(completePage(view));
  if (session.status === SessionStatus.SESSION_STATUS_EXPIRED) return pageAnswer(expiredPage(view));
  if (invoice === undefined || isPaying || isBeingPaid(invoice)) {
    return pageAnswer(processingPage({ path, isTest }));
  }
  if (action !== undefined && request.query.card === undefined && problems === undefined) {
    const { attempt, redirectUrl } = action;
    const { amountDue, currency } = invoice;
    const amount = amountDue === 0n ? undefined : amountText(amountDue, currency);
    const page = { path, isTest, formTargets: formTargets(session) };
    return pageAnswer(challengePage(page, { attempt, isOurs: redirectUrl === undefined, amount }));
  }
  const isOptional = !isCardRequired(view);
  const isAsked = !isOptional || isChargedLater(view);
  const payable = payableOf(view, request, peers);
  const entry = isAsked
    ? await cardEntryOf(payable, { peers, context: request.context })
    : undefined;
  return pageAnswer(payPage(view, { entry, isOptional, problems }));
}

function payableOf(view: SessionView, request: PageRequest, peers: Peers): Payable {
  const { session, path, isTest } = view;
  const { context, resourceId: id } = request;
  const toStep = (answer: PaymentAnswer): PaymentStep => ({
    action: answer.action,
    next: nextOf({ ...view, session: present(answer.session) }),
  });
  return {
    customerId: session.customerId,
    path,
    url: session.checkoutUrl,
    isTest,
    pay: async ({ methodId: paymentMethodId, returnUrl }) =>
      toStep(await peers.session.paySession({ id, paymentMethodId, returnUrl }, context)),
    answer: async (answer) =>
      toStep(await peers.session.answerSessionChallenge({ id, ...answer }, context)),
    showProblems: (problems) => showSession(view, request, peers, problems),
  };
}

interface PaymentAnswer {
  readonly session: Session | undefined;
  readonly invoice: Invoice | undefined;
  readonly action: PayerAction | undefined;
}

/** Where a payer goes on: to the seller once all is paid, else the page tells how it stands. */
function nextOf({ session, path }: SessionView): string {
  const isDone = session.status === SessionStatus.SESSION_STATUS_COMPLETE;
  return (isDone ? successTarget(session) : undefined) ?? path;
}

function isClosed({ session }: SessionView): boolean {
  return session.status !== SessionStatus.SESSION_STATUS_OPEN;
}

/** Something is due, or will be when the trial ends. */
function isCardRequired({ session, invoice }: SessionView): boolean {
  const isDue = (invoice?.amountDue ?? 0n) > 0n;
  return isDue || (session.product?.price?.trialDays ?? 0) > 0;
}

function isChargedLater({ session, now }: SessionView): boolean {
  const { product, quantity, discount } = session;
  const price = present(product?.price);
  return purchaseTerms({ price, quantity, discount, from: now }).isChargedLater;
}
