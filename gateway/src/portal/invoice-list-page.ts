import { type Invoice, InvoiceStatus } from '@billing/proto/billing/checkout/v1/checkout';
import { amountText } from '../text/amount-text';
import { dateText } from '../text/date-text';
import { type Html, html } from '../pages/frame/html';
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
    <h1>Invoices</h1>
    ${list.invoices.length === 0 ? html`<p>There are no invoices yet.</p>` : table(list.invoices)}
    ${list.pages > 1 && pageLinks(list)}
  </section>`;
  return portalPage(visit, { title: 'Invoices', section: 'invoices', content });
}

function table(invoices: readonly Invoice[]): Html {
  return html`<table class="list">
    <thead>
      <tr>
        <th scope="col">Invoice</th>
        <th scope="col">Status</th>
        <th scope="col">Total</th>
      </tr>
    </thead>
    <tbody>
      ${invoices.map(row)}
    </tbody>
  </table>`;
}

function row(invoice: Invoice): Html {
  const { id, number, createdAt, currency, total, status } = invoice;
  const { name, tone } = wordsOf(invoice);
  const isDraft = status === InvoiceStatus.INVOICE_STATUS_DRAFT;
  return html`<tr>
    <th scope="row">
      ${isDraft ? 'Not numbered yet' : html`<a href="/portal/invoices/${id}">${number ?? 'Invoice'}</a>`}
      <div class="hint">
        ${createdAt === undefined ? '' : dateText(createdAt)}
        ${!isDraft && html` · <a href="/portal/invoices/${id}/pdf">PDF<span class="unseen"> of ${number ?? 'the invoice'}</span></a>`}
      </div>
    </th>
    <td><span class="status ${tone}">${name}</span></td>
    <td>${amountText(total, currency)}</td>
  </tr>`;
}

function pageLinks({ page, pages }: InvoiceList): Html {
  const to = (target: number) => `/portal/invoices?page=${String(target)}`;
  return html`<nav class="turning" aria-label="Pages of invoices">
    ${page > 1 && html`<a href="${to(page - 1)}" rel="prev">Newer</a>`}
    <span>Page ${String(page)} of ${String(pages)}</span>
    ${page < pages && html`<a href="${to(page + 1)}" rel="next">Older</a>`}
  </nav>`;
}
