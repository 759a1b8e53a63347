/** Progress of a clock advance, in thousandths. */
export function clockProgress(
  { from, to }: { readonly from: string; readonly to: string },
  now: string,
): number {
  const [start, end, at] = [from, to, now].map((time) => Date.parse(time)) as [
    number,
    number,
    number,
  ];
  if (end <= start) return 1_000;
  return Math.round(Math.min(1, Math.max(0, (at - start) / (end - start))) * 1_000);
}

const steps = {
  hour: (date: Date) => date.setUTCHours(date.getUTCHours() + 1),
  day: (date: Date) => date.setUTCDate(date.getUTCDate() + 1),
  week: (date: Date) => date.setUTCDate(date.getUTCDate() + 7),
  month: (date: Date) => toNextMonth(date),
  year: (date: Date) => date.setUTCFullYear(date.getUTCFullYear() + 1),
} as const;

/** Step of a clock advance. */
export type ClockStep = keyof typeof steps;
export const clockSteps = Object.keys(steps) as readonly ClockStep[];

/** Time one step later; a month after January 31 is the last day of February. */
export function afterStep(time: string, step: ClockStep): string {
  const date = new Date(time);
  steps[step](date);
  return date.toISOString();
}

function toNextMonth(date: Date): void {
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + 1);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0));
  date.setUTCDate(Math.min(day, last.getUTCDate()));
}
