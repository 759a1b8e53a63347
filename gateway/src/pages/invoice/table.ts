import type { Invoice, LineItem, LineItemTier } from '@billing/proto/billing/checkout/v1/checkout';
import { amountText, quantityText, rateText } from '../../text/amount-text';
import { periodText } from '../../text/date-text';
import { settledRows } from '../../text/invoice-settled';
import { type Html, html } from '../frame/html';

/** Lines and sums of an invoice; `dueLabel` is the label of the amount due. */
export function invoiceTable(invoice: Invoice, dueLabel: string): Html {
  const { currency, lineItems } = invoice;
  return html`<table>
    <thead>
      <tr>
        <th scope="col">Description</th>
        <th scope="col">Quantity</th>
        <th scope="col">Amount</th>
      </tr>
    </thead>
    <tbody>
      ${lineItems.map((line) => lineRow(line, currency))}
    </tbody>
    <tfoot>
      ${sumRows(invoice, dueLabel)}
    </tfoot>
  </table>`;
}

function lineRow(line: LineItem, currency: string): Html {
  const { description, quantity, unitAmount, amount, periodStart, periodEnd } = line;
  const hasPeriod = periodStart !== undefined && periodEnd !== undefined;
  const unit = unitAmount === undefined ? undefined : `${rateText(unitAmount, currency)} each`;
  return html`<tr>
    <th scope="row">
      ${description}
      ${hasPeriod && html`<div class="hint">${periodText({ start: periodStart, end: periodEnd })}</div>`}
      ${tierDetails(line, currency)}
    </th>
    <td>
      ${quantityText(quantity)}${unit !== undefined && quantity !== '1' && html`<div class="hint">${unit}</div>`}
    </td>
    <td>${amountText(amount, currency)}</td>
  </tr>`;
}

/** Calculation of a tiered amount. */
function tierDetails({ details }: LineItem, currency: string): Html | undefined {
  if (details === undefined || details.tiers.length === 0) return undefined;
  return html`<details>
    <summary>Show calculation</summary>
    <ul>
      ${details.tiers.map((tier) => html`<li>${tierText(tier, currency)}</li>`)}
    </ul>
  </details>`;
}

/** Amount of one tier: `10 × $4.00 + $10.00 = $50.00`. */
function tierText(
  { quantity, unitAmount, flatAmount, amount }: LineItemTier,
  currency: string,
): string {
  const flat = flatAmount === '0' ? '' : ` + ${rateText(flatAmount, currency)}`;
  const units = `${quantityText(quantity)} × ${rateText(unitAmount, currency)}`;
  return `${units}${flat} = ${rateText(amount, currency)}`;
}

function sumRows(invoice: Invoice, dueLabel: string): Html[] {
  const { currency, subtotal, discounts, tax, total, amountDue } = invoice;
  const isPlain = discounts.length === 0 && tax === 0n;
  const settled = settledRows(invoice);
  const rows: readonly (readonly [string, bigint])[] = [
    ...(isPlain ? [] : [['Subtotal', subtotal] as const]),
    ...discounts.map(({ name, amount }) => [`Discount: ${name}`, -amount] as const),
    ...(tax === 0n ? [] : [['Tax', tax] as const]),
    ...(isPlain && settled.length === 0 ? [] : [['Total', total] as const]),
    ...settled,
  ];
  return [
    ...rows.map(([label, amount]) => sumRow(label, amountText(amount, currency))),
    sumRow(dueLabel, amountText(amountDue, currency), 'sum'),
  ];
}

function sumRow(label: string, amount: string, kind = ''): Html {
  return html`<tr class="${kind}">
    <th scope="row" colspan="2">${label}</th>
    <td>${amount}</td>
  </tr>`;
}
