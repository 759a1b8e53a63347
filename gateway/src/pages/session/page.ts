import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import type { PayerAction } from '@billing/proto/billing/checkout/v1/payment';
import type { Session, SessionItem } from '@billing/proto/billing/checkout/v1/session';
import { amountText, quantityText } from '@billing/documents/amount-text';
import { payerMessage } from '../../text/problem-text';
import type { Text } from '@billing/documents/reader';
import { type PhraseKey, say } from '@billing/documents/say';
import { present } from '../../http/answer';
import {
  amountField,
  type CardEntry,
  cardForm,
  cardReady,
  type PaymentInput,
} from '../payment/card-form';
import { taxNoteOf } from '@billing/documents/tax-text';
import { notice } from '../frame/form-fields';
import { href, type Html, html, type HtmlValue, local } from '../frame/html';
import { invoiceCalculation, invoiceTable } from '../invoice/table';
import { type PurchaseTerms, purchaseTerms, type UsageSummary } from '../terms/purchase-terms';
import type { Page } from '../frame/shell';
import { cardScript } from '../frame/payer-script';
import { codeForm } from './discount-code';
import { buyerFacts, type BuyerInput, countryForm, isCountryMissing, taxIdForm } from './buyer';
import type { UsageRate } from '../terms/usage-terms';

/** Data of a session page. */
export interface SessionView {
  readonly session: Session;
  /** Invoice of the session, if any. */
  readonly invoice: Invoice | undefined;
  /** Required action of the payer, if any. */
  readonly action: PayerAction | undefined;
  readonly isPaying: boolean;
  /** Locale of the customer when the session was made. */
  readonly customerLocale: string | undefined;
  readonly path: string;
  readonly isTest: boolean;
  readonly now: Date;
}

/** Data of a session page with its terms. */
export interface OfferView extends SessionView {
  /** Rates of usage, in addition to the price. */
  readonly rates: readonly UsageRate[];
}

/** Content of the payment controls of a session. */
export interface PaymentControls extends PaymentInput {
  /** Undefined if nothing is due now or later and therefore no card is needed. */
  readonly entry: CardEntry | undefined;
  /** True if the card may be left empty. */
  readonly isOptional: boolean;
  /** Texts of a form about the buyer that was not accepted. */
  readonly buyer?: BuyerInput | undefined;
  /** Discount code that was not accepted. */
  readonly wrongCode?: string | undefined;
}

/** Page on which a session is paid or confirmed. */
export function payPage(view: OfferView, payment: PaymentControls): Page {
  const { session, isTest } = view;
  const { lastPaymentError: error } = session;
  const hasProblems = Object.keys(payment.problems ?? {}).length > 0;
  const asksCountry = isCountryMissing(view);
  const content = [
    offer(view),
    html`<section aria-labelledby="pay">
      <h2 id="pay">${say(asksCountry ? 'session.yourCountry' : paymentTitle(view))}</h2>
      ${session.discountLost === true && notice(say('session.discountTitle'), say('session.discountGone'))}
      ${error !== undefined && !hasProblems && notice(say('payment.lastFailed'), payerMessage(error.code))}
      ${asksCountry ? countryForm(view, payment.buyer) : controls(view, payment)}
      ${codeForm(view, payment.wrongCode)} ${!asksCountry && taxIdForm(view, payment.buyer)}
      ${cancelLink(session)}
    </section>`,
  ];
  return {
    title: say('session.payFor', { product: productName(session) }),
    content,
    locales: sessionLocales(view),
    isTest,
    isWide: true,
    script: payment.entry?.kind === 'FORM' && !asksCountry ? cardScript : undefined,
    formTargets: formTargets(session),
    status: hasProblems || payment.buyer !== undefined ? 400 : 200,
  };
}

/**
 * Card form or confirmation button; both if the card is optional and entered on the provider's
 * page.
 */
function controls(view: OfferView, { entry, isOptional, ...input }: PaymentControls): HtmlValue {
  const { path, invoice } = view;
  if (entry === undefined) return confirmForm(path, 'session.nothingDue');
  const { problems, kept, isAmountChanged } = input;
  const form = cardForm({
    ...{ place: { path }, label: buttonLabel(view), entry, isOptional },
    ...{ problems, kept, isAmountChanged, more: shownAmount(view) },
  });
  return [
    isFree(invoice) && html`<p>${say('session.cardForLater')}</p>`,
    isOptional && html`<p class="hint">${say('session.withoutCard')}</p>`,
    form,
    isOptional && entry.kind !== 'FORM' && confirmForm(path, 'session.nothingDueToday'),
  ];
}

/** Page that asks for confirmation before a card entered on the provider's page is charged. */
export function confirmCardPage(view: OfferView, setupId: string): Page {
  const { session, path, isTest } = view;
  const more = shownAmount(view);
  const ready = cardReady({ place: { path }, setupId, label: buttonLabel(view), more });
  const content = [offer(view), ready];
  return {
    title: say('form.confirm'),
    content,
    isTest,
    isWide: true,
    formTargets: formTargets(session),
    locales: sessionLocales(view),
  };
}

/** Page of a completed session, with a link to continue. */
export function completePage(view: OfferView): Page {
  const { session, invoice, path, isTest } = view;
  const isCharged = (invoice?.amountPaid ?? 0n) > 0n;
  const next = successTarget(session);
  const content = [
    html`<section>
      <p class="status good">${say(isCharged ? 'invoice.paid' : 'session.confirmed')}</p>
      <h1>${say('session.thankYou')}</h1>
      <p>${say(isCharged ? 'session.paymentReceived' : 'session.orderConfirmed')}</p>
      ${next !== undefined && html`<p><a class="button unprinted" href="${href(next)}" rel="noreferrer">${say('form.continue')}</a></p>`}
      ${invoice?.number !== undefined && html`<p class="unprinted"><a href="${local(`${path}/pdf`)}">${say('session.downloadInvoice', { number: invoice.number })}</a></p>`}
    </section>`,
    bought(view),
  ];
  const locales = sessionLocales(view);
  return { title: say('session.thankYou'), content, isTest, locales };
}

/** Page of an expired session. */
export function expiredPage(view: SessionView): Page {
  const { session, isTest } = view;
  const content = html`<section>
    <h1>${say('session.expired')}</h1>
    <p>${say('session.expiredText')}</p>
    ${cancelLink(session)}
  </section>`;
  const locales = sessionLocales(view);
  return { title: say('session.expiredTitle'), content, isTest, status: 410, locales };
}

/** Description of an open purchase. States each amount once. */
function offer(view: OfferView): Html {
  const { session, invoice } = view;
  const terms = termsOf(view);
  const { description } = present(session.product);
  return html`<section>
    <h1>${productName(session)}</h1>
    ${invoice !== undefined && html`<p class="price">${amountText(invoice.amountDue, invoice.currency)} <span class="faint">${say(isCountryMissing(view) ? 'session.estimatedToday' : 'session.dueToday')}</span></p>`}
    ${terms.later !== undefined && html`<p><strong>${terms.later}</strong></p>`}
    ${terms.usage !== undefined && usageList(terms.usage)}
    <p class="faint">${terms.renewal}</p>
    ${description !== undefined && html`<p class="description">${description}</p>`}
    ${itemList(view)} ${invoice !== undefined && invoiceCalculation(invoice)} ${buyerFacts(invoice)}
  </section>`;
}

/** The purchase after its completion. */
function bought(view: OfferView): Html {
  const { session, invoice } = view;
  const terms = termsOf(view);
  const { description } = present(session.product);
  return html`<section>
    <h2>${productName(session)}</h2>
    <p><strong>${terms.summary}</strong></p>
    ${terms.usage !== undefined && usageList(terms.usage)}
    <p class="faint">${terms.renewal}</p>
    ${description !== undefined && html`<p class="description">${description}</p>`}
    ${itemList(view)} ${invoice !== undefined && invoiceTable(invoice, say('invoice.amountDue'))}
  </section>`;
}

/** Names and quantities of several items; undefined where the lines of the invoice show them. */
function itemList({ session, invoice }: OfferView): Html | undefined {
  const { items } = session;
  if (items.length <= 1 || invoice?.lineItems.length === items.length) return undefined;
  return html`<ul>
    ${items.map(
      ({ product, quantity }) =>
        html`<li>
          ${product?.name ?? ''}
          ${quantity > 1 && html`<span class="hint">${say('session.quantity', { quantity: quantityText(String(quantity)) })}</span>`}
        </li>`,
    )}
  </ul>`;
}

function usageList({ billing, rates }: UsageSummary): Html {
  return html`<p>${billing}</p>
    <ul class="rates">
      ${rates.map((rate) => html`<li>${rate}</li>`)}
    </ul>`;
}

/** Terms of a session, starting at its completion, or now while it is open. */
export function termsOf({ session, invoice, rates, now }: OfferView): PurchaseTerms {
  return purchaseTerms({
    price: present(present(session.product).price),
    quantity: session.quantity,
    others: otherItems(session).map(({ product, quantity }) => {
      return { price: present(present(product).price), quantity };
    }),
    discount: session.discount,
    rates,
    from: session.completedAt ?? now,
    tax: taxNoteOf(invoice),
  });
}

function otherItems({ items: [, ...others] }: Session): SessionItem[] {
  return others;
}

function confirmForm(path: string, text: PhraseKey): Html {
  return html`<form method="post" action="${local(path)}">
    <p>${say(text)}</p>
    <button type="submit">${say('form.confirm')}</button>
  </form>`;
}

/** Hidden field with the amount that the page shows. */
function shownAmount({ invoice }: SessionView): Html | undefined {
  return invoice === undefined ? undefined : amountField(invoice.amountDue);
}

function paymentTitle({ invoice }: SessionView): PhraseKey {
  return isFree(invoice) ? 'session.confirmOrder' : 'payment.payByCard';
}

function buttonLabel({ session, invoice }: SessionView): Text {
  if (invoice !== undefined && !isFree(invoice)) {
    return say('payment.pay', { amount: amountText(invoice.amountDue, invoice.currency) });
  }
  const hasTrial = (session.product?.price?.trialDays ?? 0) > 0;
  return say(hasTrial ? 'session.startTrial' : 'form.confirm');
}

function isFree(invoice: Invoice | undefined): boolean {
  return (invoice?.amountDue ?? 0n) === 0n;
}

function cancelLink(session: Session): Html | undefined {
  const { cancelUrl } = session;
  if (cancelUrl === undefined) return undefined;
  const target = href(withSessionId(cancelUrl, session));
  return html`<p class="aside">
    <a href="${target}" rel="noreferrer">${say('form.cancelBack')}</a>
  </p>`;
}

function productName({ product }: Session): string {
  return product?.name ?? '';
}

/** Redirect URL after payment, if any. */
export function successTarget(session: Session): string | undefined {
  const { successUrl } = session;
  return successUrl === undefined ? undefined : withSessionId(successUrl, session);
}

function withSessionId(address: string, { id }: Session): string {
  return address.replaceAll('{SESSION_ID}', id);
}

/** Redirect targets of a session's forms. */
export function formTargets(session: Session): (string | undefined)[] {
  return [session.checkoutUrl, successTarget(session)];
}

/** Locales of the pages of a session: its own, then that of its customer. */
export function sessionLocales({ session, customerLocale }: SessionView): Page['locales'] {
  return [session.locale, customerLocale];
}
