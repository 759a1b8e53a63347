import { type Invoice, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { amountText } from '@billing/documents/amount-text';
import { dateText } from '@billing/documents/date-text';
import { issueDateOf } from '@billing/documents/issue-date';
import { say } from '@billing/documents/say';
import { type Html, html, local } from '../pages/frame/html';
import { wordsOf } from '../pages/invoice/page';
import type { Page } from '../pages/frame/shell';
import type { Visit } from './route';
import { portalPage } from './shell';

/** A page of a customer's invoices. */
export interface InvoiceList {
  readonly invoices: readonly Invoice[];
  readonly page: number;
  readonly pages: number;
}

/** Page of all invoices, newest first. */
export function invoiceListPage(visit: Visit, list: InvoiceList): Page {
  const content = html`<section>
    <h1>${say('portal.invoices')}</h1>
    ${list.invoices.length === 0 ? html`<p>${say('invoices.none')}</p>` : table(list.invoices)}
    ${list.pages > 1 && pageLinks(list)}
  </section>`;
  return portalPage(visit, { title: say('portal.invoices'), section: 'invoices', content });
}

function table(invoices: readonly Invoice[]): Html {
  return html`<table class="list">
    <thead>
      <tr>
        <th scope="col">${say('invoice.invoice')}</th>
        <th scope="col">${say('invoices.status')}</th>
        <th scope="col">${say('invoice.total')}</th>
      </tr>
    </thead>
    <tbody>
      ${invoices.map(row)}
    </tbody>
  </table>`;
}

function row(invoice: Invoice): Html {
  const { id, number, currency, total, status } = invoice;
  const issued = issueDateOf(invoice);
  const { name, tone } = wordsOf(invoice);
  const isDraft = status === InvoiceStatus.INVOICE_STATUS_DRAFT;
  return html`<tr>
    <th scope="row">
      ${isDraft ? say('creditNote.notNumbered') : html`<a href="${local(`/portal/invoices/${id}`)}">${number ?? say('invoice.invoice')}</a>`}
      <div class="hint">
        ${issued === undefined ? '' : dateText(issued)}
        ${!isDraft && html` · <a href="${local(`/portal/invoices/${id}/pdf`)}">PDF<span class="unseen">${say('invoices.pdfOf', { number: number ?? say('invoices.theInvoice') })}</span></a>`}
      </div>
    </th>
    <td><span class="status ${tone}">${name}</span></td>
    <td>${amountText(total, currency)}</td>
  </tr>`;
}

function pageLinks({ page, pages }: InvoiceList): Html {
  const to = (target: number) => local(`/portal/invoices?page=${String(target)}`);
  return html`<nav class="turning" aria-label="${say('invoices.pages')}">
    ${page > 1 && html`<a href="${to(page - 1)}" rel="prev">${say('invoices.newer')}</a>`}
    <span>${say('invoices.page', { page, pages })}</span>
    ${page < pages && html`<a href="${to(page + 1)}" rel="next">${say('invoices.older')}</a>`}
  </nav>`;
}
