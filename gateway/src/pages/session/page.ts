import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import type { PayerAction } from '@billing/proto/billing/checkout/v1/payment';
import type { Session } from '@billing/proto/billing/checkout/v1/session';
import { amountText } from '../../text/amount-text';
import { present } from '../../http/answer';
import {
  amountField,
  type CardEntry,
  cardForm,
  cardReady,
  type PaymentInput,
} from '../payment/card-form';
import { taxNoteOf } from '../../text/tax-text';
import { notice } from '../frame/form-fields';
import { href, type Html, html, type HtmlValue } from '../frame/html';
import { invoiceCalculation, invoiceTable } from '../invoice/table';
import { type PurchaseTerms, purchaseTerms, type UsageSummary } from '../terms/purchase-terms';
import type { Page } from '../frame/shell';
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
      <h2 id="pay">${asksCountry ? 'Your country' : paymentTitle(view)}</h2>
      ${session.discountLost === true && notice('Discount not available', 'The discount of this offer is not available right now. You pay the full price.')}
      ${error !== undefined && !hasProblems && notice('The last payment failed', error.message)}
      ${asksCountry ? countryForm(view, payment.buyer) : [controls(view, payment), taxIdForm(view, payment.buyer)]}
      ${cancelLink(session)}
    </section>`,
  ];
  return {
    title: `Pay for ${productName(session)}`,
    content,
    isTest,
    isWide: true,
    hasScript: payment.entry?.kind === 'FORM' && !asksCountry,
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
  if (entry === undefined) return confirmForm(path, 'Nothing is due. No card is needed.');
  const { problems, kept, isAmountChanged } = input;
  const form = cardForm({
    ...{ place: { path }, label: buttonLabel(view), entry, isOptional },
    ...{ problems, kept, isAmountChanged, more: shownAmount(view) },
  });
  return [
    isFree(invoice) &&
      html`<p>Nothing is charged today. Your card is saved for later payments.</p>`,
    isOptional &&
      html`<p class="hint">Without a card, later payments will fail until you add one.</p>`,
    form,
    isOptional && entry.kind !== 'FORM' && confirmForm(path, 'Nothing is due today.'),
  ];
}

/** Page that asks for confirmation before a card entered on the provider's page is charged. */
export function confirmCardPage(view: OfferView, setupId: string): Page {
  const { session, path, isTest } = view;
  const more = shownAmount(view);
  const ready = cardReady({ place: { path }, setupId, label: buttonLabel(view), more });
  const content = [offer(view), ready];
  return { title: 'Confirm', content, isTest, isWide: true, formTargets: formTargets(session) };
}

/** Page of a completed session, with a link to continue. */
export function completePage(view: OfferView): Page {
  const { session, invoice, path, isTest } = view;
  const isCharged = (invoice?.amountPaid ?? 0n) > 0n;
  const next = successTarget(session);
  const content = [
    html`<section>
      <p class="status good">${isCharged ? 'Paid' : 'Confirmed'}</p>
      <h1>Thank you</h1>
      <p>
        ${isCharged ? 'Your payment has been received.' : 'Your order is confirmed. Nothing was charged.'}
      </p>
      ${next !== undefined && html`<p><a class="button unprinted" href="${href(next)}" rel="noreferrer">Continue</a></p>`}
      ${invoice?.number !== undefined && html`<p class="unprinted"><a href="${path}/pdf">Download invoice ${invoice.number} (PDF)</a></p>`}
    </section>`,
    bought(view),
  ];
  return { title: 'Thank you', content, isTest };
}

/** Page of an expired session. */
export function expiredPage({ session, isTest }: SessionView): Page {
  const content = html`<section>
    <h1>This checkout has expired</h1>
    <p>You were not charged. To continue, return to the seller's site and start a new checkout.</p>
    ${cancelLink(session)}
  </section>`;
  return { title: 'Checkout expired', content, isTest, status: 410 };
}

/** Description of an open purchase. States each amount once. */
function offer(view: OfferView): Html {
  const { session, invoice } = view;
  const terms = termsOf(view);
  const { description } = present(session.product);
  return html`<section>
    <h1>${productName(session)}</h1>
    ${invoice !== undefined && html`<p class="price">${amountText(invoice.amountDue, invoice.currency)} <span class="faint">${isCountryMissing(view) ? 'estimated, due today' : 'due today'}</span></p>`}
    ${terms.later !== undefined && html`<p><strong>${terms.later}</strong></p>`}
    ${terms.usage !== undefined && usageList(terms.usage)}
    <p class="faint">${terms.renewal}</p>
    ${description !== undefined && html`<p class="description">${description}</p>`}
    ${invoice !== undefined && invoiceCalculation(invoice)} ${buyerFacts(invoice)}
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
    ${invoice !== undefined && invoiceTable(invoice, 'Amount due')}
  </section>`;
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
    discount: session.discount,
    rates,
    from: session.completedAt ?? now,
    tax: taxNoteOf(invoice),
  });
}

function confirmForm(path: string, text: string): Html {
  return html`<form method="post" action="${path}">
    <p>${text}</p>
    <button type="submit">Confirm</button>
  </form>`;
}

/** Hidden field with the amount that the page shows. */
function shownAmount({ invoice }: SessionView): Html | undefined {
  return invoice === undefined ? undefined : amountField(invoice.amountDue);
}

function paymentTitle({ invoice }: SessionView): string {
  return isFree(invoice) ? 'Confirm your order' : 'Pay by card';
}

function buttonLabel({ session, invoice }: SessionView): string {
  if (invoice !== undefined && !isFree(invoice)) {
    return `Pay ${amountText(invoice.amountDue, invoice.currency)}`;
  }
  return (session.product?.price?.trialDays ?? 0) > 0 ? 'Start free trial' : 'Confirm';
}

function isFree(invoice: Invoice | undefined): boolean {
  return (invoice?.amountDue ?? 0n) === 0n;
}

function cancelLink(session: Session): Html | undefined {
  const { cancelUrl } = session;
  if (cancelUrl === undefined) return undefined;
  const target = href(withSessionId(cancelUrl, session));
  return html`<p class="aside"><a href="${target}" rel="noreferrer">Cancel and go back</a></p>`;
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
