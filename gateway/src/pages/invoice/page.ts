import {
  type Invoice,
  InvoiceStatus,
  PaymentStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import type { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import { CollectionMethod, type Customer } from '@billing/proto/billing/customer/v1/customer';
import { amountText } from '@billing/documents/amount-text';
import { dateText, periodText } from '@billing/documents/date-text';
import { payerMessage } from '../../text/problem-text';
import { issueDateOf } from '@billing/documents/issue-date';
import type { Text } from '@billing/documents/reader';
import { type PhraseKey, say } from '@billing/documents/say';
import { buyerLines, sellerLines, transferLines } from '@billing/documents/party-text';
import {
  amountField,
  type CardEntry,
  cardForm,
  cardReady,
  type PaymentInput,
} from '../payment/card-form';
import { type FormPlace, notice } from '../frame/form-fields';
import { type Html, html, local } from '../frame/html';
import { creditNoteList } from './credit-notes';
import { invoiceTable } from './table';
import { payableAmount } from '../payment/steps';
import type { Page } from '../frame/shell';
import { cardScript } from '../frame/payer-script';

/** Data of an invoice page. */
export interface InvoiceView extends FormPlace {
  readonly invoice: Invoice;
  /** Undefined: deleted, and then the document has its buyer. */
  readonly customer: Customer | undefined;
  /** Credit notes of the invoice, the oldest first. */
  readonly creditNotes: readonly CreditNote[];
  readonly isTest: boolean;
}

export interface StatusWords {
  readonly name: Text;
  readonly tone: 'good' | 'bad' | '';
  /** Explanation; undefined where the invoice can be paid. */
  readonly text: PhraseKey | undefined;
}

const wordsOfStatus: Readonly<Record<number, StatusWords>> = {
  [InvoiceStatus.INVOICE_STATUS_OPEN]: {
    name: say('invoice.open'),
    tone: '',
    text: undefined,
  },
  [InvoiceStatus.INVOICE_STATUS_PAID]: {
    name: say('invoice.paid'),
    tone: 'good',
    text: 'invoice.paidText',
  },
  [InvoiceStatus.INVOICE_STATUS_VOID]: {
    name: say('invoice.void'),
    tone: '',
    text: 'invoice.voidText',
  },
  [InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE]: {
    name: say('invoice.uncollectible'),
    tone: 'bad',
    text: 'invoice.uncollectibleText',
  },
};

/** Page of an invoice; `entry` if the invoice may be paid. */
export function invoicePage(
  view: InvoiceView,
  { entry, ...input }: PaymentInput & { readonly entry?: CardEntry | undefined } = {},
): Page {
  const { invoice, isTest } = view;
  const content = [invoiceDocument(view), payment(view, entry, input)];
  return {
    title: invoiceTitle(invoice),
    locales: localesOf(view),
    content,
    isTest,
    isWide: true,
    formTargets: [invoice.hostedUrl],
    script: entry?.kind === 'FORM' ? cardScript : undefined,
    hasImage: hasLogo(invoice),
    status: input.problems === undefined ? 200 : 400,
  };
}

/** Page that asks for confirmation before a card entered on the provider's page is charged. */
export function confirmInvoiceCardPage(view: InvoiceView, setupId: string): Page {
  const { invoice, isTest } = view;
  const more = amountOf(invoice);
  const ready = cardReady({ place: view, setupId, label: payLabel(invoice), more });
  const content = [invoiceDocument(view), ready];
  const formTargets = [invoice.hostedUrl];
  const hasImage = hasLogo(invoice);
  const locales = localesOf(view);
  const title = say('form.confirm');
  return { title, content, isTest, isWide: true, formTargets, hasImage, locales };
}

/** The invoice without the payment controls. */
export function invoiceDocument(view: InvoiceView): Html {
  const { invoice, customer, path } = view;
  const { periodStart: start, periodEnd: end, seller, buyer } = invoice;
  const facts: readonly (readonly [PhraseKey, Text | undefined])[] = [
    ['invoice.number', invoice.number],
    ['invoice.date', optionalDate(issueDateOf(invoice))],
    ['invoice.due', optionalDate(invoice.dueDate)],
    [
      'invoice.period',
      start === undefined || end === undefined ? undefined : periodText({ start, end }),
    ],
    ['invoice.purchaseOrder', seller === undefined ? undefined : invoice.purchaseOrder],
  ];
  const { name, tone } = wordsOf(invoice);
  return html`<section>
    ${sellerLogo(invoice)}
    <p class="status ${tone}">${name}</p>
    <h1>${invoiceTitle(invoice)}</h1>
    <dl>
      ${facts.map(
        ([label, value]) =>
          value !== undefined &&
          html`<dt>${say(label)}</dt>
            <dd>${value}</dd>`,
      )}
      ${
        seller !== undefined &&
        html`<dt>${say('invoice.from')}</dt>
          <dd>${linesOf(sellerLines(seller))}</dd>`
      }
      <dt>${say('invoice.billedTo')}</dt>
      <dd>${linesOf(buyerLines(buyer, customer))}</dd>
    </dl>
    ${invoiceTable(invoice, say('invoice.amountDue'))} ${creditNoteList(view)}
    ${sellerTexts(invoice)}
    <p class="aside unprinted">
      <a href="${local(`${path}/pdf`)}">${say('invoice.downloadPdf')}</a>
    </p>
  </section>`;
}

/** Image of the seller of a document, if any. */
export function sellerLogo({ seller }: Pick<Invoice, 'seller'>): Html | undefined {
  const logo = seller?.logo;
  if (seller === undefined || logo === undefined) return undefined;
  return html`<img class="logo" src="/logos/${logo.sha256}" alt="${seller.legalName}" />`;
}

/** Texts of a seller below the sums: memo, bank account of a sent invoice, registration, footer. */
function sellerTexts(invoice: Invoice): Html | undefined {
  const { seller, memo, number, collectionMethod } = invoice;
  if (seller === undefined) return undefined;
  const isSent = collectionMethod === CollectionMethod.COLLECTION_METHOD_SEND_INVOICE;
  const transfer = isSent ? transferLines(seller, number) : [];
  const texts = [memo, seller.registrationText, seller.footer].filter((text) => text !== undefined);
  return html`${
    transfer.length > 0 &&
    html`<h2>${say('invoice.bankTransfer')}</h2>
      <p>${linesOf(transfer)}</p>`
  }
  ${texts.map((text) => html`<p class="description">${text}</p>`)}`;
}

/** Texts below each other. */
export function linesOf(lines: readonly Text[]): Html[] {
  return lines.map((line) => html`<span class="line">${line}</span>`);
}

/** True if a page of the invoice shows an image. */
export function hasLogo({ seller }: Invoice): boolean {
  return seller?.logo !== undefined;
}

function payment(view: InvoiceView, entry: CardEntry | undefined, input: PaymentInput): Html {
  const { invoice } = view;
  if (entry === undefined) return html`<section><p>${statusText(invoice)}</p></section>`;
  return html`<section class="unprinted" aria-labelledby="pay">
    <h2 id="pay">${say('payment.payByCard')}</h2>
    ${input.problems === undefined && failedPayment(invoice)}
    ${cardForm({ place: view, label: payLabel(invoice), entry, more: amountOf(invoice), ...input })}
  </section>`;
}

/** Notice of the last failed payment, if any. */
export function failedPayment({ payments, lastPaymentError }: Invoice): Html | undefined {
  const last = payments.at(-1);
  const isRunning = last !== undefined && last.status !== PaymentStatus.PAYMENT_STATUS_FAILED;
  if (lastPaymentError === undefined || isRunning) return undefined;
  return notice(say('payment.lastFailed'), payerMessage(lastPaymentError.code));
}

/** Explanation of the status of an invoice that can no longer be paid. */
export function statusText(invoice: Invoice): Text {
  const { text } = wordsOf(invoice);
  const { amountPaid, paidAt } = invoice;
  if (paidAt === undefined || text === undefined) return text === undefined ? '' : say(text);
  const date = dateText(paidAt);
  return say(amountPaid > 0n ? 'invoice.paidOn' : 'invoice.settledOn', { date });
}

/** Field with the amount that the payment button shows. */
export function amountOf(invoice: Invoice): Html {
  return amountField(payableAmount(invoice));
}

/** Label of the payment button. */
export function payLabel(invoice: Invoice): Text {
  return say('payment.pay', { amount: amountText(payableAmount(invoice), invoice.currency) });
}

/** Label of an invoice's status. */
export function wordsOf({ status }: Pick<Invoice, 'status'>): StatusWords {
  return wordsOfStatus[status] ?? { name: say('invoice.draft'), tone: '', text: undefined };
}

/** Title of an invoice's page. */
export function invoiceTitle({ number }: Pick<Invoice, 'number'>): Text {
  return number === undefined ? say('invoice.invoice') : say('invoice.title', { number });
}

/** Locales of the page of an invoice: that of its customer. */
export function localesOf({ customer }: Pick<InvoiceView, 'customer'>): Page['locales'] {
  return [customer?.locale];
}

function optionalDate(date: Date | undefined): Text | undefined {
  return date === undefined ? undefined : dateText(date);
}
