import type { StripDay } from '../../parts/chart/strip';
import type { EndpointReport } from './webhook-resources';

/** Days of one endpoint for its strip; empty for an unknown endpoint. */
export function healthOf(reports: readonly EndpointReport[], endpointId: string): StripDay[] {
  const report = reports.find((one) => one.endpointId === endpointId);
  return (report?.days ?? []).map(({ day, delivered, failed }) => ({
    day,
    good: delivered,
    bad: failed,
  }));
}

/** Status of an endpoint: FAILING while its last delivery failed. */
export function endpointStatus(
  { id, active }: { readonly id: string; readonly active: boolean },
  reports: readonly Pick<EndpointReport, 'endpointId' | 'failingSince'>[],
): { readonly status: 'ACTIVE' | 'DISABLED' | 'FAILING'; readonly since: string | null } {
  const since = reports.find(({ endpointId }) => endpointId === id)?.failingSince ?? null;
  if (!active) return { status: 'DISABLED', since };
  return { status: since === null ? 'ACTIVE' : 'FAILING', since };
}

/** Success rate of some days: “98.5% of 1,200 delivered”. */
export function healthText(days: readonly StripDay[]): string {
  const good = days.reduce((sum, day) => sum + day.good, 0);
  const all = days.reduce((sum, day) => sum + day.good + day.bad, 0);
  if (all === 0) return 'No deliveries yet';
  // Rounded down, so that 100% means that all deliveries succeeded.
  const perMille = Math.floor((good * 1_000) / all);
  return `${String(perMille / 10)}% of ${all.toLocaleString('en-US')} delivered`;
}
