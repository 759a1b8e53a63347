import type { CallContext } from '@billing/chassis/call-context';
import { DomainError } from '@billing/kernel/domain-error';
import {
  type Invoice,
  InvoiceStatus,
  PaymentStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import type { PayerAction } from '@billing/proto/billing/checkout/v1/payment';
import type { Peers } from '../peers';
import type { ApiAnswer } from '../route';
import { type CardEntry, isCardEmpty, readCard } from './card-form';
import type { FormProblems } from './form-fields';
import { href, html } from './html';
import { pageAnswer, redirectAnswer } from './shell';

/** What a payment has come to. */
export interface PaymentStep {
  /** Undefined: nothing is asked of the payer. */
  readonly action: PayerAction | undefined;
  /** Where the payer goes on. */
  readonly next: string;
}

/** What is paid on a page, a session or an invoice: the steps are the same. */
export interface Payable {
  readonly customerId: string;
  /** The page's own path. */
  readonly path: string;
  /** The page's whole address. */
  readonly url: string;
  readonly isTest: boolean;
  readonly pay: (payment: {
    methodId: string | undefined;
    returnUrl: string;
  }) => Promise<PaymentStep>;
  readonly answer: (answer: {
    attempt: number;
    approved: boolean | undefined;
  }) => Promise<PaymentStep>;
  /** The page again, with what is wrong with its form. */
  readonly showProblems: (problems: FormProblems) => Promise<ApiAnswer>;
  /** Tells of a refusal that the page itself would not show; undefined: it does. */
  readonly showRefusal?: (error: unknown) => Promise<ApiAnswer> | undefined;
}

/** What steps are taken with. */
export interface StepTools {
  readonly peers: Peers;
  readonly context: CallContext;
}

/** How the payer gives a card. */
export async function cardEntryOf(
  { customerId }: Pick<Payable, 'customerId'>,
  { peers, context }: StepTools,
): Promise<CardEntry> {
  // Without an address to come back to nothing is begun: pages are loaded in advance, again, and by
  // machines.
  const entry = await peers.payment.beginCardEntry({ customerId, returnUrl: '' }, context);
  if (entry.providerPage) return { kind: 'REDIRECT' };
  // A real card is never typed on a page of ours.
  return { kind: entry.testCards ? 'FORM' : 'NONE' };
}

/** Leads to the provider's page for cards, or back where there is none. */
export async function beginCardEntry(
  { customerId, url, path, isTest }: Payable,
  { peers, context }: StepTools,
): Promise<ApiAnswer> {
  const returnUrl = `${url}/card?setup_id={SETUP_ID}`;
  const { redirectUrl } = await peers.payment.beginCardEntry({ customerId, returnUrl }, context);
  if (redirectUrl === undefined) return redirectAnswer(path);
  return leadOn(redirectUrl, {
    title: 'Card details',
    text: 'You enter your card on the page of our payment provider.',
    label: 'Continue to card details',
    isTest,
  });
}

/** Pays with a card that was typed. */
export async function payByCard(
  payable: Payable,
  form: ReadonlyMap<string, string>,
  { peers, context, isOptional }: StepTools & { isOptional: boolean },
): Promise<ApiAnswer> {
  if (isOptional && isCardEmpty(form)) return await payByMethod(payable, undefined);
  const card = readCard(form);
  if ('problems' in card) return await payable.showProblems(card.problems);
  const { customerId } = payable;
  try {
    const saved = await peers.payment.savePaymentMethod({ customerId, card }, context);
    return await payByMethod(payable, saved.paymentMethodId);
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'invalid_input') {
      return await payable.showProblems(error.fields ?? {});
    }
    return await backOr(error, payable);
  }
}

/** Pays with a card that was given on the provider's page. */
export async function payBySetup(
  payable: Payable,
  setupId: string,
  { peers, context }: StepTools,
): Promise<ApiAnswer> {
  const { customerId } = payable;
  try {
    const saved = await peers.payment.finishCardEntry({ customerId, setupId }, context);
    return await payByMethod(payable, saved.paymentMethodId);
  } catch (error) {
    return await backOr(error, payable);
  }
}

/** Pays with a method that was saved; undefined: with what the invoice is charged to anyway. */
export async function payByMethod(
  payable: Payable,
  methodId: string | undefined,
): Promise<ApiAnswer> {
  try {
    const step = await payable.pay({ methodId, returnUrl: `${payable.url}/return` });
    return afterStep(step, payable);
  } catch (error) {
    return await backOr(error, payable);
  }
}

/** Goes on after a challenge; `approved` where it was ours. */
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

/** The attempt that waits for its payer; undefined where none does. */
export function waitingAttempt(
  invoice: Invoice | undefined,
): { attempt: number; isOurs: boolean } | undefined {
  const last = invoice?.payments.at(-1);
  if (last?.status !== PaymentStatus.PAYMENT_STATUS_REQUIRES_ACTION) return undefined;
  // The sandbox has no page of its own for a challenge.
  return { attempt: last.attempt, isOurs: last.provider === 'sandbox' };
}

/** Whether an invoice can be paid: also one that was given up, by a customer who wants to. */
export function isPayableStatus(status: InvoiceStatus): boolean {
  return (
    status === InvoiceStatus.INVOICE_STATUS_OPEN ||
    status === InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE
  );
}

/** What a payer still owes. One that was given up is no longer due, but may be paid. */
export function payableAmount({ status, total, amountPaid, amountDue }: Invoice): bigint {
  const isGivenUp = status === InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE;
  return isGivenUp ? total - amountPaid : amountDue;
}

/**
 * Whether an attempt runs at this moment, or has come to an end that is not applied everywhere yet.
 */
export function isBeingPaid({ status, payments }: Invoice): boolean {
  const isRunning = payments.at(-1)?.status === PaymentStatus.PAYMENT_STATUS_PENDING;
  return isRunning || !isPayableStatus(status);
}

function afterStep({ action, next }: PaymentStep, { isTest }: Payable): ApiAnswer {
  if (action?.redirectUrl === undefined) return redirectAnswer(next);
  return leadOn(action.redirectUrl, {
    title: 'Confirm with your bank',
    text: 'Your bank asks you to confirm this payment.',
    label: 'Continue to your bank',
    isTest,
  });
}

// A policy names where a form may lead before anybody knows where that is; a page that leads on by
// itself needs no naming.
function leadOn(
  url: string,
  { title, text, label, isTest }: { title: string; text: string; label: string; isTest: boolean },
): ApiAnswer {
  const content = html`<section>
    <h1>${title}</h1>
    <p>${text} If the page does not open automatically, use the button below.</p>
    <p><a class="button" href="${href(url)}" rel="noreferrer">${label}</a></p>
  </section>`;
  return pageAnswer({ title, content, isTest, refresh: { seconds: 0, url: href(url) } });
}

/** Another payment runs, or nothing is left to pay: the page itself tells. */
async function backOr(error: unknown, { path, showRefusal }: Payable): Promise<ApiAnswer> {
  if (!isRefusal(error)) throw error;
  return (await showRefusal?.(error)) ?? redirectAnswer(path);
}

function isRefusal(error: unknown): boolean {
  return error instanceof DomainError && error.kind === 'failed_precondition';
}
