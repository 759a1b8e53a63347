import type { StripDay } from '../../parts/strip';
import type { EndpointReport } from './webhook-resources';

/** The days of one endpoint for its strip; none where nothing is known of it. */
export function healthOf(reports: readonly EndpointReport[], endpointId: string): StripDay[] {
  const report = reports.find((one) => one.endpointId === endpointId);
  return (report?.days ?? []).map(({ day, delivered, failed }) => ({
    day,
    good: delivered,
    bad: failed,
  }));
}

/** Days as a reader takes them in: “98.5 % of 1,200 in 30 days”; nothing sent is told as that. */
export function healthText(days: readonly StripDay[]): string {
  const good = days.reduce((sum, day) => sum + day.good, 0);
  const all = days.reduce((sum, day) => sum + day.good + day.bad, 0);
  if (all === 0) return 'Nothing sent yet';
  // Rounded down: only when everything arrived does it say so.
  const perMille = Math.floor((good * 1_000) / all);
  return `${String(perMille / 10)} % of ${all.toLocaleString('en-US')}`;
}
