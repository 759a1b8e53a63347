import type { Invoice } from '@billing/proto/billing/checkout/v1/checkout';
import type { PaymentMethod } from '@billing/proto/billing/checkout/v1/payment_method';
import { type CardEntry, cardForm, type PaymentInput } from '../pages/payment/card-form';
import { postForm } from '../pages/frame/form-fields';
import { creditNoteDocument, creditNoteTitle } from '../pages/invoice/credit-note-page';
import { payableAmount } from '../pages/payment/steps';
import { amountText } from '@billing/documents/amount-text';
import { href, type Html, html } from '../pages/frame/html';
import {
  amountOf,
  failedPayment,
  hasLogo,
  invoiceTitle,
  invoiceDocument,
  type InvoiceView,
  payLabel,
  statusText,
} from '../pages/invoice/page';
import type { Page } from '../pages/frame/shell';
import { cardScript } from '../pages/frame/payer-script';
import { methodText } from '../text/method-text';
import { say } from '@billing/documents/say';
import type { Visit } from './route';
import { portalPage } from './shell';

/** Payment controls of an invoice in the portal. */
export interface PaymentChoice extends PaymentInput {
  readonly methods: readonly PaymentMethod[];
  readonly entry: CardEntry;
}

/** Page of an invoice; `choice` if it can be paid. */
export function portalInvoicePage(
  visit: Visit,
  view: InvoiceView,
  choice: PaymentChoice | undefined,
): Page {
  const payment = choice === undefined ? settled(view.invoice) : paying(view, choice);
  return invoiceFrame(visit, view, payment, choice);
}

/** Page of a credit note of an invoice. */
export function portalCreditNotePage(visit: Visit, view: InvoiceView, noteId: string): Page {
  return portalPage(visit, {
    title: creditNoteTitle(view, noteId),
    section: 'invoices',
    hasImage: hasLogo(view.invoice),
    content: creditNoteDocument(view, noteId),
  });
}

/** Page of an invoice with a second column. */
export function invoiceFrame(
  visit: Visit,
  view: InvoiceView,
  aside: Html,
  choice?: PaymentChoice,
): Page {
  return portalPage(visit, {
    title: invoiceTitle(view.invoice),
    section: 'invoices',
    isWide: true,
    script: choice?.entry.kind === 'FORM' ? cardScript : undefined,
    hasImage: hasLogo(view.invoice),
    status: choice?.problems === undefined ? 200 : 400,
    content: [invoiceDocument(view), aside],
  });
}

/** Explanation for an invoice that is not paid here. */
function settled(invoice: Invoice): Html {
  const { checkoutSessionId, hostedUrl, amountDue } = invoice;
  if (checkoutSessionId !== undefined && hostedUrl !== undefined && amountDue > 0n) {
    return html`<section class="unprinted">
      <p>${say('invoices.purchaseOpen')}</p>
      <p><a class="button" href="${href(hostedUrl)}">${say('invoices.continuePurchase')}</a></p>
    </section>`;
  }
  return html`<section class="unprinted"><p>${statusText(invoice)}</p></section>`;
}

function paying(view: InvoiceView, { methods, entry, ...input }: PaymentChoice): Html {
  const { invoice } = view;
  const { problems, kept, isAmountChanged } = input;
  const more = amountOf(invoice);
  const isFirst = methods.length === 0;
  const amount = amountText(payableAmount(invoice), invoice.currency);
  const label = say(isFirst ? 'payment.pay' : 'invoices.payWithThisCard', { amount });
  const card = cardForm({ place: view, label, entry, more, ...input });
  return html`<section class="unprinted" aria-labelledby="pay">
    <h2 id="pay">${say('invoices.payThis')}</h2>
    ${problems === undefined && failedPayment(invoice)} ${!isFirst && savedMethods(view, methods)}
    ${
      isFirst
        ? card
        : html`<details
            class="other"
            ${(problems ?? kept ?? isAmountChanged) !== undefined && html` open`}
          >
            <summary>${say('invoices.payWithAnother')}</summary>
            ${card}
          </details>`
    }
  </section>`;
}

function savedMethods(view: InvoiceView, methods: readonly PaymentMethod[]): Html {
  return postForm(view, '/method', [
    html`<fieldset>
      <legend>${say('invoices.savedCards')}</legend>
      ${methods.map(
        (method) =>
          html`<label class="choice">
            <input
              type="radio"
              name="method"
              value="${method.id}"
              ${method.isDefault && html` checked`}
            />
            <span>${methodText(method)}</span>
          </label>`,
      )}
    </fieldset>`,
    amountOf(view.invoice),
    html`<button type="submit">${payLabel(view.invoice)}</button>`,
  ]);
}
