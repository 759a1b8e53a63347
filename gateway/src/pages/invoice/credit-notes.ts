import type { CreditNote } from '@billing/proto/billing/checkout/v1/credit_note';
import { amountText } from '@billing/documents/amount-text';
import { creditRows } from '@billing/documents/credit-text';
import { dateText } from '@billing/documents/date-text';
import { say } from '@billing/documents/say';
import { type Html, html, local } from '../frame/html';

/** Credit notes of an invoice with what became of their money; undefined without any. */
export function creditNoteList({
  creditNotes,
  path,
}: {
  readonly creditNotes: readonly CreditNote[];
  readonly path: string;
}): Html | undefined {
  if (creditNotes.length === 0) return undefined;
  return html`<h2>${say('creditNote.creditNotes')}</h2>
    <ul class="rows">
      ${creditNotes.map((note) => noteRow(note, path))}
    </ul>`;
}

function noteRow(note: CreditNote, path: string): Html {
  const { id, number, issuedAt, total, currency, memo } = note;
  return html`<li>
    <span>
      ${
        number === undefined
          ? say('creditNote.notNumbered')
          : html`<a href="${local(`${path}/credit-notes/${id}`)}">${number}</a>`
      }
      <span class="hint">
        ${issuedAt !== undefined && dateText(issuedAt)}
        ${number !== undefined && html` · <a href="${local(`${path}/credit-notes/${id}/pdf`)}">PDF<span class="unseen">${say('invoices.pdfOf', { number })}</span></a>`}
      </span>
      ${memo !== undefined && html`<span class="hint description line">${memo}</span>`}
      ${creditRows(note).map(
        ([label, amount]) =>
          html`<span class="hint line"
            >${say('labeled', { label, text: amountText(amount, currency) })}</span
          >`,
      )}
    </span>
    <strong>${amountText(-total, currency)}</strong>
  </li>`;
}
