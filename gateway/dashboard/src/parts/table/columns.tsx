import { exportedMoney } from '../text/amount';
import type { Column } from './data-table';
import { countText } from '../text/text';
import { Day, Instant, Money } from '../element/values';

// Columns with formatted values on the page and plain values in exports.

/** Money, or a dash. */
export function moneyColumn<Row>(
  title: string,
  amountOf: (row: Row) => number | string | bigint | null,
  currencyOf: (row: Row) => string | null,
): Column<Row> {
  const moneyOf = (row: Row) => {
    const [amount, currency] = [amountOf(row), currencyOf(row)];
    return amount === null || currency === null ? undefined : { amount, currency };
  };
  return {
    title,
    align: 'end',
    text: (row) => {
      const money = moneyOf(row);
      return money === undefined ? '' : exportedMoney(money.amount, money.currency);
    },
    cell: (row) => {
      const money = moneyOf(row);
      return money === undefined ? '–' : <Money {...money} />;
    },
  };
}

/** A count. */
export function countColumn<Row>(title: string, countOf: (row: Row) => number): Column<Row> {
  return {
    title,
    align: 'end',
    text: (row) => String(countOf(row)),
    cell: (row) => countText(countOf(row)),
  };
}

/** A time shown as a day and exported as an instant. */
export function dayColumn<Row>(title: string, timeOf: (row: Row) => string | null): Column<Row> {
  return {
    title,
    text: (row) => timeOf(row) ?? '',
    cell: (row) => <Day at={timeOf(row)} />,
  };
}

/** A time to the second. */
export function instantColumn<Row>(
  title: string,
  timeOf: (row: Row) => string | null,
): Column<Row> {
  return {
    title,
    text: (row) => timeOf(row) ?? '',
    cell: (row) => <Instant at={timeOf(row)} />,
  };
}
