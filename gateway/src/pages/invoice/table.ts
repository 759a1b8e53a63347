import { unitPriceOf } from '@billing/presentation/unit-price';
import type { Invoice, LineItem } from '@billing/proto/billing/checkout/v1/checkout';
import { amountText, quantityText, rateText } from '@billing/documents/amount-text';
import { periodText } from '@billing/documents/date-text';
import { calculationOf, lineText } from '@billing/documents/line-text';
import { settledRows } from '@billing/documents/invoice-settled';
import type { Text } from '@billing/documents/reader';
import { say } from '@billing/documents/say';
import { discountRows, shownAmount, sumRows, taxRows, totalRow } from '@billing/documents/tax-text';
import { type Html, html, type HtmlValue } from '../frame/html';

/** Lines and sums of an invoice; `dueLabel` is the label of the amount due. */
export function invoiceTable(invoice: Invoice, dueLabel: Text): Html {
  return linesTable(invoice, sums(invoice, dueLabel));
}

/** How the amount due of an open purchase comes about; undefined if its price says it all. */
export function invoiceCalculation(invoice: Invoice): Html | undefined {
  const { currency, lineItems } = invoice;
  const rows = [...discountRows(invoice), ...taxRows(invoice), ...settledRows(invoice)];
  const [line] = lineItems;
  if (lineItems.length !== 1 || line === undefined || rows.length > 0) {
    return linesTable(
      invoice,
      rows.map(([label, amount]) => sumRow(label, amountText(amount, currency))),
    );
  }
  if (line.quantity === '1') return undefined;
  const tiers = tierDetails(line, currency);
  const unitPrice = unitPriceOf(line);
  const quantity = quantityText(line.quantity);
  const text =
    unitPrice === undefined
      ? say('session.quantity', { quantity })
      : say('session.quantityAt', { quantity, rate: rateText(unitPrice, currency) });
  return html`<p class="hint">${text}</p>
    ${tiers}`;
}

function linesTable(invoice: Invoice, footer: HtmlValue): Html {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${say('invoice.description')}</th>
        <th scope="col">${say('invoice.quantity')}</th>
        <th scope="col">${say('invoice.amount')}</th>
      </tr>
    </thead>
    <tbody>
      ${invoice.lineItems.map((line) => lineRow(line, invoice))}
    </tbody>
    <tfoot>
      ${footer}
    </tfoot>
  </table>`;
}

function lineRow(line: LineItem, invoice: Invoice): Html {
  const { currency } = invoice;
  const { quantity, periodStart, periodEnd } = line;
  const unitPrice = unitPriceOf(line);
  const hasPeriod = periodStart !== undefined && periodEnd !== undefined;
  const unit =
    unitPrice === undefined
      ? undefined
      : say('invoice.each', { rate: rateText(unitPrice, currency) });
  return html`<tr>
    <th scope="row">
      ${lineText(line)}
      ${hasPeriod && html`<div class="hint">${periodText({ start: periodStart, end: periodEnd })}</div>`}
      ${tierDetails(line, currency)}
    </th>
    <td>
      ${quantityText(quantity)}${unit !== undefined && quantity !== '1' && html`<div class="hint">${unit}</div>`}
    </td>
    <td>${amountText(shownAmount(line, invoice), currency)}</td>
  </tr>`;
}

/** Calculation of a tiered amount. */
function tierDetails(line: LineItem, currency: string): Html | undefined {
  const calculation = calculationOf(line, currency);
  if (calculation.length === 0) return undefined;
  return html`<details>
    <summary>${say('invoice.showCalculation')}</summary>
    <ul>
      ${calculation.map((text) => html`<li>${text}</li>`)}
    </ul>
  </details>`;
}

/** Sums of an invoice. Without discount and tax, its lines are its subtotal and its total. */
function sums(invoice: Invoice, dueLabel: Text): Html[] {
  const { currency, discounts, taxes, tax, amountDue } = invoice;
  const isPlain = discounts.length === 0 && taxes.length === 0 && tax === 0n;
  const settled = settledRows(invoice);
  const total = settled.length === 0 ? [] : [totalRow(invoice)];
  const shown = isPlain ? [...total, ...settled] : sumRows(invoice);
  return [
    ...shown.map(([label, amount]) => sumRow(label, amountText(amount, currency))),
    sumRow(dueLabel, amountText(amountDue, currency), 'sum'),
  ];
}

/** A row of the foot of a table: a label and its amount. */
export function sumRow(label: Text, amount: Text, kind = ''): Html {
  return html`<tr class="${kind}">
    <th scope="row" colspan="2">${label}</th>
    <td>${amount}</td>
  </tr>`;
}
