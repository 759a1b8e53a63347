import {
  type Invoice,
  InvoiceStatus,
  PaymentStatus,
} from '@billing/proto/billing/checkout/v1/checkout';
import type { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import { CollectionMethod, type Customer } from '@billing/proto/billing/customer/v1/customer';
import { amountText } from '../../text/amount-text';
import { dateText, periodText } from '../../text/date-text';
import { buyerLines, sellerLines, transferLines } from '../../text/party-text';
import {
  amountField,
  type CardEntry,
  cardForm,
  cardReady,
  type PaymentInput,
} from '../payment/card-form';
import { type FormPlace, notice } from '../frame/form-fields';
import { type Html, html } from '../frame/html';
import { creditNoteList } from './credit-notes';
import { invoiceTable } from './table';
import { payableAmount } from '../payment/steps';
import type { Page } from '../frame/shell';

/** Data of an invoice page. */
export interface InvoiceView extends FormPlace {
  readonly invoice: Invoice;
  readonly customer: Customer;
  /** Credit notes of the invoice, the oldest first. */
  readonly creditNotes: readonly CreditNote[];
  readonly isTest: boolean;
}

export interface StatusWords {
  readonly name: string;
  readonly tone: 'good' | 'bad' | '';
  readonly text: string;
}

const wordsOfStatus: Readonly<Record<number, StatusWords>> = {
  [InvoiceStatus.INVOICE_STATUS_OPEN]: { name: 'Open', tone: '', text: '' },
  [InvoiceStatus.INVOICE_STATUS_PAID]: {
    name: 'Paid',
    tone: 'good',
    text: 'Thank you. This invoice is paid.',
  },
  [InvoiceStatus.INVOICE_STATUS_VOID]: {
    name: 'Void',
    tone: '',
    text: 'This invoice was voided. You owe nothing.',
  },
  [InvoiceStatus.INVOICE_STATUS_UNCOLLECTIBLE]: {
    name: 'Uncollectible',
    tone: 'bad',
    text: 'This invoice can no longer be paid here. Please contact the seller.',
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
    title: `Invoice ${invoice.number ?? ''}`.trim(),
    content,
    isTest,
    isWide: true,
    formTargets: [invoice.hostedUrl],
    hasScript: entry?.kind === 'FORM',
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
  return { title: 'Confirm', content, isTest, isWide: true, formTargets, hasImage };
}

/** The invoice without the payment controls. */
export function invoiceDocument(view: InvoiceView): Html {
  const { invoice, customer, path } = view;
  const { periodStart: start, periodEnd: end, seller, buyer } = invoice;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Number', invoice.number],
    ['Date', optionalDate(invoice.createdAt)],
    ['Due', optionalDate(invoice.dueDate)],
    ['Period', start === undefined || end === undefined ? undefined : periodText({ start, end })],
    ['Purchase order', seller === undefined ? undefined : invoice.purchaseOrder],
  ];
  const { name, tone } = wordsOf(invoice);
  return html`<section>
    ${sellerLogo(invoice)}
    <p class="status ${tone}">${name}</p>
    <h1>Invoice ${invoice.number ?? ''}</h1>
    <dl>
      ${facts.map(
        ([label, value]) =>
          value !== undefined &&
          html`<dt>${label}</dt>
            <dd>${value}</dd>`,
      )}
      ${
        seller !== undefined &&
        html`<dt>From</dt>
          <dd>${linesOf(sellerLines(seller))}</dd>`
      }
      <dt>Billed to</dt>
      <dd>${linesOf(buyerLines(buyer, customer))}</dd>
    </dl>
    ${invoiceTable(invoice, 'Amount due')} ${creditNoteList(view)} ${sellerTexts(invoice)}
    <p class="aside unprinted"><a href="${path}/pdf">Download as PDF</a></p>
  </section>`;
}

function sellerLogo({ seller }: Invoice): Html | undefined {
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
    html`<h2>Bank transfer</h2>
      <p>${linesOf(transfer)}</p>`
  }
  ${texts.map((text) => html`<p class="description">${text}</p>`)}`;
}

function linesOf(lines: readonly string[]): Html[] {
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
    <h2 id="pay">Pay by card</h2>
    ${input.problems === undefined && failedPayment(invoice)}
    ${cardForm({ place: view, label: payLabel(invoice), entry, more: amountOf(invoice), ...input })}
  </section>`;
}

/** Notice of the last failed payment, if any. */
export function failedPayment({ payments, lastPaymentError }: Invoice): Html | undefined {
  const last = payments.at(-1);
  const isRunning = last !== undefined && last.status !== PaymentStatus.PAYMENT_STATUS_FAILED;
  if (lastPaymentError === undefined || isRunning) return undefined;
  return notice('The last payment failed', lastPaymentError.message);
}

/** Explanation of the status of an invoice that can no longer be paid. */
export function statusText(invoice: Invoice): string {
  const { text } = wordsOf(invoice);
  const { amountPaid, paidAt } = invoice;
  if (paidAt === undefined) return text;
  return `${text} ${amountPaid > 0n ? 'Payment received' : 'Settled'} on ${dateText(paidAt)}.`;
}

/** Field with the amount that the payment button shows. */
export function amountOf(invoice: Invoice): Html {
  return amountField(payableAmount(invoice));
}

/** Label of the payment button. */
export function payLabel(invoice: Invoice): string {
  return `Pay ${amountText(payableAmount(invoice), invoice.currency)}`;
}

/** Label of an invoice's status. */
export function wordsOf({ status }: Pick<Invoice, 'status'>): StatusWords {
  return wordsOfStatus[status] ?? { name: 'Draft', tone: '', text: '' };
}

function optionalDate(date: Date | undefined): string | undefined {
  return date === undefined ? undefined : dateText(date);
}
