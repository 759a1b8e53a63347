import type { ServiceStatus } from '@billing/gateway/dashboard/service-statuses';
import { useResource } from '../../api/queries';
import { instantColumn } from '../../parts/columns';
import { type Column, DataTable } from '../../parts/data-table';
import { PageLayout, Panel } from '../../parts/layout';
import { Answer, Notice } from '../../parts/notices';
import { countText, pluralText } from '../../parts/text';
import { StatusBadge } from '../../parts/values';
import { MissingProvider } from './missing-provider';
import { bytesText, trouble } from './service-health';
import { StuckCommands } from './stuck-commands';

const everyMs = 5_000;

const columns: readonly Column<ServiceStatus>[] = [
  { title: 'Service', text: ({ name }) => name },
  {
    title: 'State',
    text: ({ ready }) => (ready ? 'ready' : 'not ready'),
    cell: ({ ready }) => <StatusBadge status={ready ? 'READY' : 'NOT_READY'} />,
  },
  { title: 'Version', text: ({ version }) => version ?? '–' },
  instantColumn('Since', ({ startedAt }) => startedAt),
  {
    title: 'Outbox age',
    align: 'end',
    text: ({ outboxAgeSeconds }) =>
      outboxAgeSeconds === null ? '–' : `${countText(Math.round(outboxAgeSeconds))} s`,
  },
  {
    title: 'Lag',
    align: 'end',
    text: ({ streamLag }) => (streamLag === null ? '–' : pluralText(streamLag, 'event')),
  },
  {
    title: 'Loop delay',
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

/** How the services are, asked again while one looks. */
export function SystemPage() {
  const answer = useResource<{ readonly services: readonly ServiceStatus[] }>(
    '/dashboard/api/system',
    { refetchMs: everyMs },
  );
  return (
    <PageLayout title="System" lead="The services behind this, asked every five seconds.">
      <MissingProvider />
      <Answer of={answer} what="services">
        {({ services }) => (
          <>
            <Health services={services} />
            <Panel title="Services">
              <DataTable
                caption="Services"
                columns={columns}
                rows={services}
                rowKey={({ name }) => name}
              />
            </Panel>
          </>
        )}
      </Answer>
      <StuckCommands refetchMs={everyMs} />
      <Panel title="What the figures say">
        <dl className="facts">
          <div>
            <dt>Outbox age</dt>
            <dd>
              How long the oldest change waits to be told to others. Seconds are usual; minutes mean
              that NATS or another service is away. Nothing is lost meanwhile.
            </dd>
          </div>
          <div>
            <dt>Lag</dt>
            <dd>Events that the service has still to take in. It falls by itself.</dd>
          </div>
          <div>
            <dt>Loop delay</dt>
            <dd>
              How late the process gets to its work. Above 100 ms it has more to do than one
              processor can: start another replica.
            </dd>
          </div>
        </dl>
      </Panel>
    </PageLayout>
  );
}

function Health({ services }: { services: readonly ServiceStatus[] }) {
  const troubles = services.flatMap((service) => trouble(service));
  if (troubles.length === 0) {
    return (
      <Notice tone="good">
        <p>All {countText(services.length)} services are ready, and nothing waits.</p>
      </Notice>
    );
  }
  return (
    <Notice tone="wait">
      <ul>
        {troubles.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </Notice>
  );
}
