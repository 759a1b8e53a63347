import type { toJsonTaxReportRow } from '@billing/proto/json/tax/tax-report';
import { monthText } from '../../parts/text/time-text';

export type TaxReportRow = ReturnType<typeof toJsonTaxReportRow>;

/** Days of a report in UTC, [from, to). */
export interface TaxPeriod {
  /** `2026-11`, `2026-Q4` or `2026`. */
  readonly name: string;
  readonly label: string;
  readonly from: string;
  readonly to: string;
}

const monthsShown = 13;
const quartersShown = 5;
const yearsShown = 2;

/** Months, quarters and years that a seller declares, the newest of each first. */
export function taxPeriods(now: Date): readonly [TaxPeriod, ...TaxPeriod[]] {
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  const months = count(monthsShown, (back) => monthPeriod(year, month - back));
  const quarter = Math.floor(month / 3);
  const quarters = count(quartersShown, (back) => quarterPeriod(year, quarter - back));
  const years = count(yearsShown, (back) => yearPeriod(year - back));
  return [monthPeriod(year, month), ...months.slice(1), ...quarters, ...years];
}

/** Reason as its readers say it. */
export function taxReasonText(reason: TaxReportRow['reason']): string {
  return reasonTexts[reason];
}

const reasonTexts: Readonly<Record<TaxReportRow['reason'], string>> = {
  STANDARD: 'Taxed',
  ZERO: 'Zero rate',
  NO_RATE: 'No rate',
  EXEMPT: 'Exempt',
  REVERSE_CHARGE: 'Reverse charge',
  OUT_OF_SCOPE: 'Not subject to tax',
};

function monthPeriod(year: number, month: number): TaxPeriod {
  const from = dayAt(year, month);
  const name = from.slice(0, 7);
  return { name, label: monthText(name), from, to: dayAt(year, month + 1) };
}

function quarterPeriod(year: number, quarter: number): TaxPeriod {
  const from = dayAt(year, quarter * 3);
  const number = Math.floor((Number(from.slice(5, 7)) - 1) / 3) + 1;
  const name = `${from.slice(0, 4)}-Q${String(number)}`;
  const label = `Quarter ${String(number)} of ${from.slice(0, 4)}`;
  return { name, label, from, to: dayAt(year, quarter * 3 + 3) };
}

function yearPeriod(year: number): TaxPeriod {
  const name = String(year);
  return { name, label: `Year ${name}`, from: dayAt(year, 0), to: dayAt(year + 1, 0) };
}

function dayAt(year: number, month: number): string {
  return new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);
}

function count<T>(length: number, of: (back: number) => T): T[] {
  return Array.from({ length }, (_, back) => of(back));
}
