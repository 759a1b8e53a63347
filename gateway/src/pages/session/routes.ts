import { DomainError } from '@billing/kernel/domain-error';
import { HostedPageKind } from '@billing/proto/billing/checkout/v1/hosted_page';
import { type Session, SessionStatus } from '@billing/proto/billing/checkout/v1/session';
import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import type { PayerAction } from '@billing/proto/billing/checkout/v1/payment';
import { amountText } from '@billing/documents/amount-text';
import type { Peers } from '../../peer/peers';
import { type ApiAnswer, present } from '../../http/answer';
import { challengePage, processingPage } from '../payment/challenge-page';
import type { PaymentInput } from '../payment/card-form';
import type { PageRequest, PageRoute } from '../frame/route';
import { paymentRoutes } from '../payment/routes';
import {
  cardEntryOf,
  isAmountRefusal,
  isBeingPaid,
  type Payable,
  type PaymentStep,
} from '../payment/steps';
import { isCountryMissing, readBuyer } from './buyer';
import { paymentRunningPage, readCode } from './discount-code';
import {
  completePage,
  confirmCardPage,
  expiredPage,
  formTargets,
  type OfferView,
  type PaymentControls,
  payPage,
  sessionLocales,
  type SessionView,
  successTarget,
  termsOf,
} from './page';
import { pageAnswer, redirectAnswer } from '../frame/shell';
import { usageRatesAt } from '../terms/usage-rates';

const kind = HostedPageKind.HOSTED_PAGE_KIND_CHECKOUT_SESSION;

const paymentPages = paymentRoutes<PageRequest>({
  path: '/checkout/:token',
  read: async (request, peers) => {
    const view = await readSession(request, peers);
    const { session, invoice } = view;
    return {
      payable: payableOf(view, request, peers),
      isOpen: session.status === SessionStatus.SESSION_STATUS_OPEN && !isCountryMissing(view),
      isCardOptional: !isCardRequired(view),
      next: nextOf(view),
      waitingAttempt: view.action?.attempt,
      download: session.status === SessionStatus.SESSION_STATUS_COMPLETE ? invoice : undefined,
      show: () => showSession(view, request, peers),
      confirmCard: async (setupId) =>
        confirmCardPage(await withRates(view, request, peers), setupId),
    };
  },
});

/** The pages of a checkout session. */
export const sessionPageRoutes: readonly PageRoute[] = [
  ...paymentPages.map((route) => ({ ...route, kind })),
  { method: 'POST', path: '/checkout/:token/tax', kind, handle: takeBuyer },
  { method: 'POST', path: '/checkout/:token/code', kind, handle: takeCode },
  { method: 'POST', path: '/checkout/:token/code/remove', kind, handle: removeCode },
];

async function takeCode(request: PageRequest, peers: Peers): Promise<ApiAnswer> {
  const { resourceId: id, context, path, form } = request;
  const code = readCode(form);
  try {
    await peers.session.applyDiscountCode({ id, code }, context);
    return redirectAnswer(path);
  } catch (error) {
    if (isPaymentRunning(error)) return paymentRunning(request, peers);
    if (!(error instanceof DomainError) || error.kind !== 'invalid_input') throw error;
    return showSession(await readSession(request, peers), request, peers, { wrongCode: code });
  }
}

async function removeCode(request: PageRequest, peers: Peers): Promise<ApiAnswer> {
  const { resourceId: id, context, path } = request;
  try {
    await peers.session.removeDiscountCode({ id }, context);
    return redirectAnswer(path);
  } catch (error) {
    if (isPaymentRunning(error)) return paymentRunning(request, peers);
    throw error;
  }
}

async function paymentRunning(request: PageRequest, peers: Peers): Promise<ApiAnswer> {
  const view = await readSession(request, peers);
  const { path, isTest } = view;
  return pageAnswer(paymentRunningPage({ path, isTest, locales: sessionLocales(view) }));
}

function isPaymentRunning(error: unknown): boolean {
  return error instanceof DomainError && error.reason === 'PAYMENT_IN_PROGRESS';
}

async function takeBuyer(request: PageRequest, peers: Peers): Promise<ApiAnswer> {
  const { resourceId: id, context, path, form } = request;
  const typed = readBuyer(form);
  try {
    await peers.session.changeSessionBuyer({ id, ...typed }, context);
    return redirectAnswer(path);
  } catch (error) {
    if (!(error instanceof DomainError) || error.kind !== 'invalid_input') throw error;
    const buyer = { typed, problems: error.fields ?? {} };
    return showSession(await readSession(request, peers), request, peers, { buyer });
  }
}

async function readSession(request: PageRequest, peers: Peers): Promise<SessionView> {
  const { resourceId, context, path, isTest } = request;
  const { session, invoice, action, isPaying } = await peers.session.getSession(
    { id: resourceId },
    context,
  );
  const found = present(session);
  const customerLocale = found.customer?.locale;
  return {
    ...{ session: found, invoice, action, isPaying, customerLocale },
    ...{ path, isTest, now: context.now },
  };
}

/** Adds the usage prices in force at the purchase. */
async function withRates(
  view: SessionView,
  { context }: PageRequest,
  peers: Peers,
): Promise<OfferView> {
  const { productId, items, completedAt } = view.session;
  const productIds = [...new Set([productId, ...items.map((item) => item.productId)])];
  const at = completedAt ?? context.now;
  return { ...view, rates: await usageRatesAt({ productIds, at }, { peers, context }) };
}

async function showSession(
  view: SessionView,
  request: PageRequest,
  peers: Peers,
  { buyer, wrongCode, ...input }: PaymentInput & Pick<PaymentControls, 'buyer' | 'wrongCode'> = {},
): Promise<ApiAnswer> {
  const { session, invoice, action, isPaying, path, isTest } = view;
  const locales = sessionLocales(view);
  if (session.status === SessionStatus.SESSION_STATUS_COMPLETE)
    return pageAnswer(completePage(await withRates(view, request, peers)));
  if (session.status === SessionStatus.SESSION_STATUS_EXPIRED) return pageAnswer(expiredPage(view));
  if (invoice === undefined || isPaying || isBeingPaid(invoice)) {
    return pageAnswer(processingPage({ path, isTest, locales }));
  }
  if (action !== undefined && request.query.card === undefined && input.problems === undefined) {
    const { attempt, redirectUrl } = action;
    const { amountDue, currency } = invoice;
    const amount = amountDue === 0n ? undefined : amountText(amountDue, currency);
    const page = { path, isTest, formTargets: formTargets(session), locales };
    return pageAnswer(challengePage(page, { attempt, isOurs: redirectUrl === undefined, amount }));
  }
  const isOptional = !isCardRequired(view);
  const offer = await withRates(view, request, peers);
  const asksForCard = !isOptional || termsOf(offer).isChargedLater;
  const payable = payableOf(view, request, peers);
  const entry = asksForCard
    ? await cardEntryOf(payable, { peers, context: request.context })
    : undefined;
  return pageAnswer(payPage(offer, { entry, isOptional, buyer, wrongCode, ...input }));
}

function payableOf(view: SessionView, request: PageRequest, peers: Peers): Payable {
  const { session, path, isTest } = view;
  const { context, resourceId: id, network: clientNetwork } = request;
  const toStep = (answer: PaymentAnswer): PaymentStep => ({
    action: answer.action,
    next: nextOf({ ...view, session: present(answer.session) }),
    isRefused: wasRefused(answer),
  });
  return {
    customerId: session.customerId,
    path,
    url: session.checkoutUrl,
    isTest,
    locales: sessionLocales(view),
    pay: async ({ methodId: paymentMethodId, returnUrl, amount: expectedAmount }) =>
      toStep(
        await peers.session.paySession(
          { id, paymentMethodId, returnUrl, clientNetwork, expectedAmount },
          context,
        ),
      ),
    answer: async (answer) =>
      toStep(await peers.session.answerSessionChallenge({ id, ...answer, clientNetwork }, context)),
    showProblems: (problems, kept) => showSession(view, request, peers, { problems, kept }),
    showRefused: async (kept) =>
      showSession(await readSession(request, peers), request, peers, { kept }),
    showRefusal: (error) =>
      isAmountRefusal(error)
        ? readSession(request, peers).then((current) =>
            showSession(current, request, peers, { isAmountChanged: true }),
          )
        : undefined,
  };
}

interface PaymentAnswer {
  readonly session: Session | undefined;
  readonly invoice: Invoice | undefined;
  readonly action: PayerAction | undefined;
}

function wasRefused({ session, action }: PaymentAnswer): boolean {
  const isOpen = session?.status === SessionStatus.SESSION_STATUS_OPEN;
  return isOpen && session.lastPaymentError !== undefined && action === undefined;
}

/**
 * Redirect target of a payer: the seller's URL once everything is paid, otherwise the page with its
 * status.
 */
function nextOf({ session, path }: SessionView): string {
  const isDone = session.status === SessionStatus.SESSION_STATUS_COMPLETE;
  return (isDone ? successTarget(session) : undefined) ?? path;
}

/** True if an amount is due now or after the trial. */
function isCardRequired({ session, invoice }: SessionView): boolean {
  const isDue = (invoice?.amountDue ?? 0n) > 0n;
  return isDue || (session.product?.price?.trialDays ?? 0) > 0;
}
