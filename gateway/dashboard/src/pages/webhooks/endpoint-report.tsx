import { useResource } from '../../api/queries';
import { Strip } from '../../parts/chart/strip';
import { NameSkeleton } from '../../parts/element/skeleton';
import { Instant, StatusBadge } from '../../parts/element/values';
import { endpointStatus, healthOf, healthText, type Reports, unreadText } from './endpoint-health';
import type { EndpointReport, WebhookEndpoint } from './webhook-resources';

/** Deliveries of the last 30 days to each endpoint. */
export function useEndpointReports() {
  return useResource<{ data: readonly EndpointReport[] }>('/dashboard/api/reports/webhooks');
}

interface ReportProps {
  readonly endpoint: WebhookEndpoint;
  readonly reports: Reports<EndpointReport>;
}

/** Status of an endpoint, and since when it fails. */
export function EndpointState({ endpoint, reports }: ReportProps) {
  const text = endpoint.active ? unreadText(reports) : undefined;
  if (text !== undefined) return <Unread text={text} reports={reports} />;
  const { status, since } = endpointStatus(endpoint, reports.data?.data ?? []);
  return (
    <>
      <StatusBadge status={status} />
      {since !== null && (
        <div className="faint">
          failing since <Instant at={since} />
        </div>
      )}
    </>
  );
}

/** Deliveries of each day to an endpoint, and the success rate. */
export function EndpointDays({ endpoint: { id, url }, reports }: ReportProps) {
  const text = unreadText(reports);
  if (text !== undefined) return <Unread text={text} reports={reports} />;
  const days = healthOf(reports.data?.data ?? [], id);
  return (
    <>
      <Strip caption={`Webhooks to ${url}`} days={days} />
      <div className="faint">{healthText(days)}</div>
    </>
  );
}

function Unread({ text, reports: { error } }: { text: string; reports: Reports<unknown> }) {
  if (error !== null) return <span className="faint">{text}</span>;
  return (
    <>
      <span className="unseen">{text}</span>
      <NameSkeleton />
    </>
  );
}
