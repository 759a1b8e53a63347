import type { InputProblems } from '../input-problems';
import { dayProblems } from './tax-rate';

const dayMs = 86_400_000;
const daysMax = 400;

/** Days of a tax report in UTC, [from, to): `2026-01-01`. */
export interface TaxReportFields {
  readonly from: string;
  readonly to: string;
}

/** Problems of the days of a tax report. */
export function taxReportProblems({ from, to }: TaxReportFields): InputProblems {
  const [ofFrom, ofTo] = [dayProblems(from), dayProblems(to)];
  const areDays = ofFrom.length === 0 && ofTo.length === 0;
  return { from: ofFrom, to: areDays ? problemsOfSpan({ from, to }) : ofTo };
}

/** Instants of valid days. */
export function toReportSpan({ from, to }: TaxReportFields): {
  readonly from: Date;
  readonly to: Date;
} {
  return { from: new Date(`${from}T00:00:00.000Z`), to: new Date(`${to}T00:00:00.000Z`) };
}

function problemsOfSpan(fields: TaxReportFields): string[] {
  const { from, to } = toReportSpan(fields);
  const days = (to.getTime() - from.getTime()) / dayMs;
  if (days <= 0) return ['Must be after from'];
  return days > daysMax ? [`Must be at most ${String(daysMax)} days after from`] : [];
}
