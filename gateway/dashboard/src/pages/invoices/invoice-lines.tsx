import { quantityText, rateText } from '@billing/gateway/amount-text';
import { unitPriceOf } from '@billing/presentation/unit-price';
import { exportedMoney } from '../../parts/text/amount';
import { moneyColumn } from '../../parts/table/columns';
import { type Column, DataTable } from '../../parts/table/data-table';
import { moneyText } from '../../parts/text/text';
import { coveredDaysText } from '../../parts/text/time-text';
import type { Invoice, InvoiceLine } from '../../resources/invoice/invoice';

/** Line items of an invoice, and its totals. */
export function InvoiceLines({ invoice }: { invoice: Invoice }) {
  return (
    <>
      <DataTable
        caption="Line items"
        columns={columnsIn(invoice.currency)}
        rows={invoice.lineItems}
        rowKey={({ id }) => id}
      />
      <InvoiceSums invoice={invoice} />
    </>
  );
}

function columnsIn(currency: string): readonly Column<InvoiceLine>[] {
  return [
    {
      title: 'Description',
      text: ({ description }) => description,
      cell: (line) => <LineText line={line} currency={currency} />,
    },
    {
      title: 'Quantity',
      align: 'end',
      text: ({ quantity }) => quantity,
      cell: ({ quantity }) => quantityText(quantity),
    },
    {
      title: 'Unit price',
      align: 'end',
      text: (line) => unitPriceText(line, currency) ?? '',
      cell: (line) => (
        <span className="number">{unitPriceText(line, currency) ?? noPriceText(line.details)}</span>
      ),
    },
    {
      title: 'Discount',
      align: 'end',
      text: ({ discountAmount }) => exportedMoney(-discountAmount, currency),
      cell: ({ discountAmount }) =>
        discountAmount === 0 ? '' : discountText(discountAmount, currency),
    },
    moneyColumn(
      'Amount',
      ({ amount }) => amount,
      () => currency,
    ),
  ];
}

function unitPriceText(line: InvoiceLine, currency: string): string | undefined {
  const price = unitPriceOf(line);
  return price === undefined ? undefined : rateText(price, currency);
}

/** Text for a line without one price: it has tiers, or an amount alone. */
function noPriceText(details: InvoiceLine['details']): string {
  return details === null ? '–' : 'Tiered';
}

function LineText({ line, currency }: { line: InvoiceLine; currency: string }) {
  const { description, periodStart, periodEnd, details } = line;
  return (
    <div className="line-text">
      {description}
      {periodStart !== null && periodEnd !== null && (
        <div className="faint">{coveredDaysText(periodStart, periodEnd)}</div>
      )}
      {details !== null && hasCalculation(details) && (
        <LineDetails details={details} currency={currency} />
      )}
    </div>
  );
}

/** True if the amount is more than quantity times price. */
function hasCalculation({
  tiers,
  includedUnits,
  creditsUsed,
}: NonNullable<InvoiceLine['details']>) {
  return tiers.length > 0 || includedUnits !== '0' || creditsUsed.length > 0;
}

/** Calculation of a line: included units, credits used, and tiers. */
function LineDetails({
  details,
  currency,
}: {
  details: NonNullable<InvoiceLine['details']>;
  currency: string;
}) {
  const { tiers, includedUnits, creditsUsed, billedQuantity, exactAmount } = details;
  return (
    <details>
      <summary>Show calculation</summary>
      <ul className="plain faint">
        {includedUnits !== '0' && <li>{quantityText(includedUnits)} included</li>}
        {creditsUsed.map(({ grantId, quantity }) => (
          <li key={grantId}>{quantityText(quantity)} covered by credits</li>
        ))}
        <li>{quantityText(billedQuantity)} billed</li>
        {tiers.map((tier, index) => (
          <li key={tier.upTo ?? 'rest'}>
            Tier {index + 1}: {quantityText(tier.quantity)} at {rateText(tier.unitAmount, currency)}
            {tier.flatAmount !== '0' &&
              ` plus ${rateText(tier.flatAmount, currency)} flat fee`}:{' '}
            {rateText(tier.amount, currency)}
          </li>
        ))}
        <li>{rateText(exactAmount, currency)} before rounding</li>
      </ul>
    </details>
  );
}

function InvoiceSums({ invoice }: { invoice: Invoice }) {
  const { currency, discounts } = invoice;
  const money = (amount: number) => moneyText(amount, currency);
  const sums: readonly (readonly [string, string, string])[] = [
    ['subtotal', 'Subtotal', money(invoice.subtotal)],
    ...discounts.map(
      ({ discountId, name, amount }) => [discountId, name, discountText(amount, currency)] as const,
    ),
    ...taxSums(invoice, money),
    ['total', 'Total', money(invoice.total)],
    ...settledSums(invoice).map(
      ([name, amount]) => [name, name, discountText(amount, currency)] as const,
    ),
    ['paid', 'Amount paid', money(invoice.amountPaid)],
    ['due', 'Amount due', money(invoice.amountDue)],
  ];
  return (
    <dl className="sums">
      {sums.map(([key, name, text]) => (
        <div key={key} className={key === 'total' ? 'sum-total' : undefined}>
          <dt>{name}</dt>
          <dd className="number">{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Sums other than payments that have lowered the amount due. */
function settledSums({ balanceApplied, amountReduced }: Invoice) {
  const sums = [
    ['Balance applied', balanceApplied],
    ['Credited', amountReduced],
  ] as const;
  return sums.filter(([, amount]) => amount !== 0);
}

/** One sum for each group of equal taxes, or the tax of 0 of an invoice that is not taxed. */
function taxSums(
  { taxes, tax }: Invoice,
  money: (amount: number) => string,
): (readonly [string, string, string])[] {
  if (taxes.length === 0) return [['tax', 'Tax', money(tax)]];
  return taxes.map((row, index) => {
    const name = row.name === null ? untaxedText(row) : `${row.name} ${row.percent}%`;
    const place = row.state === null ? row.country : `${row.country}, ${row.state}`;
    const text = `${name} (${place}) on ${money(row.base)}`;
    return [`tax ${String(index)}`, text, money(row.amount)] as const;
  });
}

function untaxedText({ legalText }: Invoice['taxes'][number]): string {
  return legalText ?? 'No tax rate';
}

function discountText(amount: number, currency: string): string {
  return moneyText(-amount, currency);
}
