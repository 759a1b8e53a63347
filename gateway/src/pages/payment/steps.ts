import type { CallContext } from '@billing/chassis/call-context';
import { DomainError } from '@billing/kernel/domain-error';
import {
  type Invoice,
  InvoiceStatus,
  PaymentStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import type { PayerAction } from '@billing/proto/billing/checkout/v1/payment';
import type { Peers } from '../../peer/peers';
import type { ApiAnswer } from '../../http/answer';
import {
  type CardEntry,
  isCardEmpty,
  type KeptTexts,
  readAmount,
  readCard,
  readKept,
} from './card-form';
import type { FormProblems } from '../frame/form-fields';
import { type PhraseKey, say } from '@billing/documents/say';
import { href, html } from '../frame/html';
import { type Page, pageAnswer, redirectAnswer } from '../frame/shell';

/** Result of a payment step. */
export interface PaymentStep {
  /** Required action of the payer, if any. */
  readonly action: PayerAction | undefined;
  /** URL of the next page. */
  readonly next: string;
  /** True if the payment was refused and may be tried again. */
  readonly isRefused: boolean;
}

/** A session or invoice that is paid on a page. */
export interface Payable {
  readonly customerId: string;
  /** Path of the page. */
  readonly path: string;
  /** URL of the page. */
  readonly url: string;
  readonly isTest: boolean;
  /** Locales of the session and the customer. */
  readonly locales: Page['locales'];
  readonly pay: (payment: {
    methodId: string | undefined;
    returnUrl: string;
    /** Amount that the payer was shown; undefined: not compared. */
    amount: bigint | undefined;
  }) => Promise<PaymentStep>;
  readonly answer: (answer: {
    attempt: number;
    approved: boolean | undefined;
  }) => Promise<PaymentStep>;
  /** Renders the page with the problems of its form, and its texts. */
  readonly showProblems: (problems: FormProblems, kept: KeptTexts) => Promise<ApiAnswer>;
  /** Renders the page after a refused payment, with the texts of its form. */
  readonly showRefused: (kept: KeptTexts) => Promise<ApiAnswer>;
  /** Renders a refusal that the page itself does not show. Optional. */
  readonly showRefusal?: (error: unknown) => Promise<ApiAnswer> | undefined;
}

/** Dependencies of the steps. */
export interface StepTools {
  readonly peers: Peers;
  readonly context: CallContext;
}

/** Determines how the payer enters a card. */
export async function cardEntryOf(
  { customerId }: Pick<Payable, 'customerId'>,
  { peers, context }: StepTools,
): Promise<CardEntry> {
  // An empty return URL only queries the options: loading a page must not create anything at the
  // provider.
  const entry = await peers.payment.beginCardEntry({ customerId, returnUrl: '' }, context);
  if (entry.providerPage) return { kind: 'REDIRECT' };
  // Real cards are never entered on our own pages.
  return { kind: entry.testCards ? 'FORM' : 'NONE' };
}

/** Redirects to the provider's card page, or back if there is none. */
export async function beginCardEntry(
  { customerId, url, path, isTest, locales }: Payable,
  { peers, context }: StepTools,
): Promise<ApiAnswer> {
  const returnUrl = `${url}/card?setup_id={SETUP_ID}`;
  const { redirectUrl } = await peers.payment.beginCardEntry({ customerId, returnUrl }, context);
  if (redirectUrl === undefined) return redirectAnswer(path);
  return redirectOrRefresh(redirectUrl, {
    title: 'card.providerTitle',
    text: 'card.providerText',
    label: 'card.toProvider',
    isTest,
    locales,
  });
}

/** Pays with a card from our form. */
export async function payByCard(
  payable: Payable,
  form: ReadonlyMap<string, string>,
  { peers, context, isOptional }: StepTools & { isOptional: boolean },
): Promise<ApiAnswer> {
  if (isOptional && isCardEmpty(form)) return await payByMethod(payable, undefined, form);
  const card = readCard(form);
  const kept = readKept(form);
  if ('problems' in card) return await payable.showProblems(card.problems, kept);
  const { customerId } = payable;
  try {
    const saved = await peers.payment.savePaymentMethod({ customerId, card }, context);
    const step = await stepOf(payable, saved.paymentMethodId, form);
    // Shown without a redirect, which would lose the texts.
    if (step.isRefused) return await payable.showRefused(kept);
    return afterStep(step, payable);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid_input') {
      return await payable.showProblems(error.fields ?? {}, kept);
    }
    return await backOr(error, payable);
  }
}

/** Pays with a card entered on the provider's page. */
export async function payBySetup(
  payable: Payable,
  { setupId, form }: { readonly setupId: string; readonly form: ReadonlyMap<string, string> },
  { peers, context }: StepTools,
): Promise<ApiAnswer> {
  const { customerId } = payable;
  try {
    const saved = await peers.payment.finishCardEntry({ customerId, setupId }, context);
    return await payByMethod(payable, saved.paymentMethodId, form);
  } catch (error) {
    return await backOr(error, payable);
  }
}

/** Pays with a saved method; undefined for the default method of the invoice. */
export async function payByMethod(
  payable: Payable,
  methodId: string | undefined,
  form: ReadonlyMap<string, string>,
): Promise<ApiAnswer> {
  try {
    return afterStep(await stepOf(payable, methodId, form), payable);
  } catch (error) {
    return await backOr(error, payable);
  }
}

/** Continues after a challenge; `approved` is set for a simulated one. */
export async function answerChallenge(
  payable: Payable,
  answer: { attempt: number; approved: boolean | undefined },
): Promise<ApiAnswer> {
  try {
    return afterStep(await payable.answer(answer), payable);
  } catch (error) {
    return await backOr(error, payable);
  }
}

/** Attempt that waits for its payer, if any. */
export function waitingAttempt(
  invoice: Invoice | undefined,
): { attempt: number; isOurs: boolean } | undefined {
  const last = invoice?.payments.at(-1);
  if (last?.status !== PaymentStatus.PAYMENT_STATUS_REQUIRES_ACTION) return undefined;
  // The gateway renders the challenges of the sandbox provider.
  return { attempt: last.attempt, isOurs: last.provider === 'sandbox' };
}

/** True if an invoice can be paid. Customers may still pay an uncollectible invoice. */
export function isPayableStatus(status: InvoiceStatus): boolean {
  return (
    status === InvoiceStatus.INVOICE_STATUS_OPEN ||
    status === InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE
  );
}

/** Amount that a payer can pay. An uncollectible invoice is no longer due but can be paid. */
export function payableAmount(invoice: Invoice): bigint {
  const { status, total, balanceApplied, amountPaid, amountReduced, amountDue } = invoice;
  const isGivenUp = status === InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE;
  return isGivenUp ? total - balanceApplied - amountPaid - amountReduced : amountDue;
}

/** True if an attempt is in progress or its outcome is not applied everywhere yet. */
export function isBeingPaid({ status, payments }: Invoice): boolean {
  const isRunning = payments.at(-1)?.status === PaymentStatus.PAYMENT_STATUS_PENDING;
  return isRunning || !isPayableStatus(status);
}

function stepOf(
  payable: Payable,
  methodId: string | undefined,
  form: ReadonlyMap<string, string>,
): Promise<PaymentStep> {
  const amount = readAmount(form);
  return payable.pay({ methodId, returnUrl: `${payable.url}/return`, amount });
}

/** True if nothing was charged because the payer was shown another amount. */
export function isAmountRefusal(error: unknown): boolean {
  return error instanceof DomainError && error.reason === 'AMOUNT_CHANGED';
}

function afterStep({ action, next }: PaymentStep, { isTest, locales }: Payable): ApiAnswer {
  if (action?.redirectUrl === undefined) return redirectAnswer(next);
  return redirectOrRefresh(action.redirectUrl, {
    title: 'challenge.bankTitle',
    text: 'challenge.bankText',
    label: 'challenge.toBank',
    isTest,
    locales,
  });
}

// The policy of a page must name the redirect targets of its forms in advance, but the bank's URL
// is not known then. A page that refreshes needs no such entry.
function redirectOrRefresh(
  url: string,
  {
    title,
    text,
    label,
    isTest,
    locales,
  }: Pick<Payable, 'isTest' | 'locales'> & Record<'title' | 'text' | 'label', PhraseKey>,
): ApiAnswer {
  const content = html`<section>
    <h1>${say(title)}</h1>
    <p>${say(text)}</p>
    <p><a class="button" href="${href(url)}" rel="noreferrer">${say(label)}</a></p>
  </section>`;
  const refresh = { seconds: 0, url: href(url) };
  return pageAnswer({ title: say(title), content, isTest, refresh, locales });
}

/**
 * Redirects to the page, which shows that another payment is in progress or nothing is left to pay.
 */
async function backOr(error: unknown, { path, showRefusal }: Payable): Promise<ApiAnswer> {
  if (!isRefusal(error)) throw error;
  return (await showRefusal?.(error)) ?? redirectAnswer(path);
}

function isRefusal(error: unknown): boolean {
  return error instanceof DomainError && error.kind === 'failed_precondition';
}
