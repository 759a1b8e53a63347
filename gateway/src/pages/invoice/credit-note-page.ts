import { notFound } from '@billing/kernel/domain-error';
import type { CreditNote, CreditNoteLine } from '@billing/proto/billing/checkout/v1/credit_note';
import { amountText } from '@billing/documents/amount-text';
import { creditRows } from '@billing/documents/credit-text';
import { dateText } from '@billing/documents/date-text';
import { issueDateOf } from '@billing/documents/issue-date';
import { buyerLines, sellerLines } from '@billing/documents/party-text';
import type { Text } from '@billing/documents/reader';
import { say } from '@billing/documents/say';
import { taxRows } from '@billing/documents/tax-text';
import { type Html, html, local } from '../frame/html';
import type { Page } from '../frame/shell';
import { hasLogo, type InvoiceView, linesOf, localesOf, sellerLogo } from './page';
import { sumRow } from './table';

/** Hosted page of a credit note. Throws not_found unless the invoice has it, with a number. */
export function creditNotePage(view: InvoiceView, noteId: string): Page {
  const { invoice, isTest } = view;
  return {
    ...{ title: creditNoteTitle(view, noteId), content: creditNoteDocument(view, noteId) },
    ...{ locales: localesOf(view), isTest, hasImage: hasLogo(invoice) },
  };
}

/** Title of the page of a credit note. */
export function creditNoteTitle(view: InvoiceView, noteId: string): Text {
  return say('creditNote.title', { number: noteOf(view, noteId).number });
}

/** A credit note of the invoice of a page, as its PDF shows it. */
export function creditNoteDocument(view: InvoiceView, noteId: string): Html {
  const note = noteOf(view, noteId);
  const { seller, buyer, issuedAt, memo } = note;
  const { path, invoice, customer } = view;
  const texts = [memo, seller?.registrationText, seller?.footer].filter(
    (text) => text !== undefined,
  );
  return html`<section>
    ${sellerLogo(note)}
    <h1>${creditNoteTitle(view, noteId)}</h1>
    <dl>
      ${
        issuedAt !== undefined &&
        html`<dt>${say('invoice.date')}</dt>
          <dd>${dateText(issuedAt)}</dd>`
      }
      <dt>${say('invoice.invoice')}</dt>
      <dd><a href="${local(path)}">${creditedInvoice(invoice)}</a></dd>
      ${
        seller !== undefined &&
        html`<dt>${say('invoice.from')}</dt>
          <dd>${linesOf(sellerLines(seller))}</dd>`
      }
      <dt>${say('creditNote.creditedTo')}</dt>
      <dd>${linesOf(buyerLines(buyer, customer))}</dd>
    </dl>
    ${linesTable(note)} ${texts.map((text) => html`<p class="description">${text}</p>`)}
    <p class="aside unprinted">
      <a href="${local(`${path}/credit-notes/${note.id}/pdf`)}">${say('invoice.downloadPdf')}</a>
    </p>
  </section>`;
}

function noteOf({ creditNotes }: InvoiceView, noteId: string): CreditNote & { number: string } {
  const note = creditNotes.find(({ id }) => id === noteId);
  if (note?.number === undefined) throw notFound('Page');
  return { ...note, number: note.number };
}

function creditedInvoice(invoice: InvoiceView['invoice']): Text {
  const { number = '—' } = invoice;
  const date = issueDateOf(invoice);
  return date === undefined
    ? number
    : say('creditNote.invoiceOf', { number, date: dateText(date) });
}

function linesTable(note: CreditNote): Html {
  const { currency, subtotal, total, lines } = note;
  const isTaxed = note.taxes.length > 0;
  // The lines are shown without tax, so the tax is added.
  const taxes = taxRows({ ...note, pricesIncludeTax: false });
  const rows = isTaxed ? [[say('invoice.subtotal'), subtotal] as const, ...taxes] : [];
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${say('invoice.description')}</th>
        <th scope="col">${isTaxed && say('creditNote.net')}</th>
        <th scope="col">${say(isTaxed ? 'invoice.total' : 'invoice.amount')}</th>
      </tr>
    </thead>
    <tbody>
      ${lines.map((line) => lineRow(line, { currency, isTaxed }))}
    </tbody>
    <tfoot>
      ${rows.map(([label, amount]) => sumRow(label, amountText(amount, currency)))}
      ${sumRow(say('creditNote.totalCredited'), amountText(total, currency), 'sum')}
      ${creditRows(note).map(([label, amount]) => sumRow(label, amountText(amount, currency)))}
    </tfoot>
  </table>`;
}

function lineRow(
  { description, amount, total }: CreditNoteLine,
  { currency, isTaxed }: { readonly currency: string; readonly isTaxed: boolean },
): Html {
  return html`<tr>
    <th scope="row">${description}</th>
    <td>${isTaxed && amountText(amount, currency)}</td>
    <td>${amountText(total, currency)}</td>
  </tr>`;
}
