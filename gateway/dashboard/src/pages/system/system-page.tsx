import type { ServiceStatus } from '@billing/gateway/service-statuses';
import type { RecoveryJson, RecoveryReportJson } from '@billing/gateway/operator/recovery';
import { useEffect } from 'react';
import { useWorkspace } from '../../api/environment';
import { useResource, useSessionChange } from '../../api/queries';
import { instantColumn } from '../../parts/table/columns';
import { type Column, DataTable } from '../../parts/table/data-table';
import { PageLayout, Panel } from '../../parts/element/layout';
import { Answer, Notice } from '../../parts/element/notices';
import { countText, pluralText } from '../../parts/text/text';
import { StatusBadge } from '../../parts/element/values';
import { MissingProvider, ProviderText } from '../../resources/missing-provider';
import { RecoveryPanels } from './recovery-panels';
import { Replicas } from './replicas';
import { bytesText, problemsOfService } from './service-health';
import { StuckCommands } from './stuck-commands';

const everyMs = 5_000;

const columns: readonly Column<ServiceStatus>[] = [
  { title: 'Service', text: ({ name }) => name },
  {
    title: 'Status',
    text: ({ ready }) => (ready ? 'Ready' : 'Not ready'),
    cell: ({ ready }) => <StatusBadge status={ready ? 'READY' : 'NOT_READY'} />,
  },
  { title: 'Version', text: ({ version }) => version ?? '–' },
  instantColumn('Started', ({ startedAt }) => startedAt),
  {
    title: 'Outbox age',
    align: 'end',
    text: ({ outboxAgeSeconds }) =>
      outboxAgeSeconds === null ? '–' : `${countText(Math.round(outboxAgeSeconds))} s`,
  },
  {
    title: 'Event lag',
    align: 'end',
    text: ({ streamLag }) => (streamLag === null ? '–' : pluralText(streamLag, 'event')),
  },
  {
    title: 'Event loop delay',
    align: 'end',
    text: ({ eventLoopDelayMs }) =>
      eventLoopDelayMs === null ? '–' : `${countText(Math.round(eventLoopDelayMs))} ms`,
  },
  {
    title: 'Memory',
    align: 'end',
    text: ({ memoryBytes }) => (memoryBytes === null ? '–' : bytesText(memoryBytes)),
  },
];

interface SystemStatus {
  readonly services: readonly ServiceStatus[];
  /** Null if nothing was restored in the last 30 days. */
  readonly recovery: RecoveryJson | null;
  readonly report: RecoveryReportJson | null;
}

/** Reloads the session once a closed system is open: all pages are served again. */
function useSessionOfOpened(isClosed: boolean, status: SystemStatus | undefined): void {
  const changed = useSessionChange();
  const isOpened = isClosed && status !== undefined && status.recovery?.state !== 'RECOVERING';
  useEffect(() => {
    if (isOpened) void changed();
    // The function differs at each render and does the same.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isOpened]);
}

/** Status of the services, refreshed while the page is open. */
export function SystemPage() {
  const answer = useResource<SystemStatus>('/dashboard/api/system', { refetchMs: everyMs });
  const isClosed = useWorkspace().session.recovery?.state === 'RECOVERING';
  useSessionOfOpened(isClosed, answer.data);
  return (
    <PageLayout title="System" lead="Service status, refreshed every 5 s.">
      {!isClosed && (
        <>
          <MissingProvider />
          <ProviderText />
        </>
      )}
      <Answer of={answer} what="services">
        {({ services, recovery, report }) => (
          <>
            {recovery !== null && <RecoveryPanels recovery={recovery} report={report} />}
            <Health services={services} />
            <Panel title="Services">
              <DataTable
                caption="Services"
                columns={columns}
                rows={services}
                rowKey={({ name }) => name}
              />
            </Panel>
            <Replicas services={services} />
          </>
        )}
      </Answer>
      <StuckCommands refetchMs={everyMs} />
      <Panel title="About these metrics">
        <dl className="facts">
          <div>
            <dt>Outbox age</dt>
            <dd>
              Age of the oldest pending event or command. Seconds are normal. Minutes mean that a
              command is stuck, or that NATS or another service is down. Nothing is lost.
            </dd>
          </div>
          <div>
            <dt>Event lag</dt>
            <dd>
              Events that the service has yet to process. Normally falls without intervention.
            </dd>
          </div>
          <div>
            <dt>Replicas</dt>
            <dd>
              Processes of a service with a heartbeat. Different versions are normal only while a
              release is rolled out.
            </dd>
          </div>
          <div>
            <dt>Event loop delay</dt>
            <dd>
              Delay before the process runs scheduled work. Above 100 ms the process needs more than
              one CPU: start another replica.
            </dd>
          </div>
        </dl>
      </Panel>
    </PageLayout>
  );
}

function Health({ services }: { services: readonly ServiceStatus[] }) {
  const problems = services.flatMap((service) => problemsOfService(service));
  if (problems.length === 0) {
    return (
      <Notice tone="good">
        <p>All {countText(services.length)} services are ready. No backlog.</p>
      </Notice>
    );
  }
  return (
    <Notice tone="wait">
      <ul>
        {problems.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </Notice>
  );
}
