import type { ReplicaStatus, ServiceStatus } from '@billing/gateway/service-statuses';
import { Panel } from '../../parts/element/layout';
import { StatusBadge } from '../../parts/element/values';
import { instantColumn } from '../../parts/table/columns';
import { type Column, DataTable } from '../../parts/table/data-table';
import { diskText, disksOf, versionsText } from './service-health';

type Replica = ReplicaStatus & { readonly service: string };

const columns: readonly Column<Replica>[] = [
  { title: 'Service', text: ({ service }) => service },
  {
    title: 'Replica',
    text: ({ id }) => id,
    cell: ({ id }) => <code className="path">{id}</code>,
  },
  { title: 'Version', text: ({ version }) => version },
  {
    title: 'Heartbeat',
    text: ({ living }) => (living ? 'Ready' : 'Stopped'),
    cell: ({ living }) => <StatusBadge status={living ? 'READY' : 'STOPPED'} />,
  },
  instantColumn('Last seen', ({ seenAt }) => seenAt),
];

/** Replicas of all services with their versions, and the disk of the data. */
export function Replicas({ services }: { services: readonly ServiceStatus[] }) {
  const replicas = services.flatMap(({ name: service, replicas: own }) =>
    own.map((replica) => ({ ...replica, service })),
  );
  return (
    <Panel title="Replicas and disk">
      <p>
        {versionsText(replicas)} {disksOf(services).map(diskText).join(' ')}
      </p>
      <DataTable
        caption="Replicas"
        columns={columns}
        rows={replicas}
        rowKey={({ service, id }) => `${service} ${id}`}
      />
    </Panel>
  );
}
