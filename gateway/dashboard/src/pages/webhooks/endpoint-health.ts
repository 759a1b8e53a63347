import type { StripDay } from '../../parts/chart/strip';
import { labelText } from '../../parts/text/text';
import type { EndpointReport } from './webhook-resources';

/** Reports of all endpoints, as far as they were read. */
export interface Reports<Report> {
  readonly data: { readonly data: readonly Report[] } | undefined;
  readonly error: Error | null;
}

/** Text in place of what the reports say; undefined once they were read. */
export function unreadText({ data, error }: Reports<unknown>): string | undefined {
  if (data !== undefined) return undefined;
  return error === null ? 'Loading' : 'Could not be loaded';
}

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

/** Status as text. Only a disabled endpoint has one without reports. */
export function statusText(
  endpoint: { readonly id: string; readonly active: boolean },
  reports: Reports<Pick<EndpointReport, 'endpointId' | 'failingSince'>>,
): string {
  const unread = endpoint.active ? unreadText(reports) : undefined;
  return unread ?? labelText(endpointStatus(endpoint, reports.data?.data ?? []).status);
}

/** Success rate as text. */
export function daysText(reports: Reports<EndpointReport>, endpointId: string): string {
  return unreadText(reports) ?? healthText(healthOf(reports.data?.data ?? [], endpointId));
}
