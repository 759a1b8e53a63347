import { useState } from 'react';
import { environmentNameOf, useWorkspace } from '../../api/environment';
import type { Query } from '../../api/client';
import { actorText, type AuditEntry, changesText } from './audit-text';
import type { Operator } from '../../api/session';
import { useResource } from '../../api/queries';
import type { Column } from '../../parts/table/data-table';
import { SelectField } from '../../parts/form/form';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { ResourceTable } from '../../parts/table/resource-table';
import { Instant, ShortId } from '../../parts/element/values';
import { managementRefusal } from '../../resources/team-roles';

/** Audit log: changes by operators and API keys. */
export function AuditLogPage() {
  const { role } = useWorkspace().session.operator;
  const refusal = managementRefusal(role);
  return (
    <PageLayout title="Audit log" lead="Team and API activity, newest first.">
      <Panel>
        {refusal === undefined ? (
          <AuditLog />
        ) : (
          <EmptyState title="You don’t have access">{refusal}</EmptyState>
        )}
      </Panel>
    </PageLayout>
  );
}

function AuditLog() {
  const operators = useResource<{ data: readonly Operator[] }>('/dashboard/api/operators');
  const [actorId, setActorId] = useState('');
  const choices = (operators.data?.data ?? []).map(({ id, email }) => [id, email] as const);
  return (
    <>
      <SelectField
        name="actorId"
        label="Actor"
        value={actorId}
        onChange={setActorId}
        choices={[['', 'All operators and API keys'], ...choices]}
      />
      <p>
        <a href="/dashboard/api/audit.ndjson" download="audit.ndjson">
          Export all (NDJSON)
        </a>
      </p>
      <AuditTable query={{ actorId }} />
    </>
  );
}

function Target({ target }: { target: AuditEntry['target'] }) {
  if (target === null) return <>–</>;
  return (
    <>
      {target.type} {target.id !== null && <ShortId id={target.id} what={`${target.type} id`} />}
    </>
  );
}

function AuditTable({ query }: { query: Query }) {
  const { session } = useWorkspace();
  const environmentText = (id: string | null) =>
    id === null ? '–' : environmentNameOf(session, id);
  const columns: Column<AuditEntry>[] = [
    { title: 'Time', text: ({ at }) => at, cell: ({ at }) => <Instant at={at} /> },
    {
      title: 'Actor',
      text: ({ actor }) => actorText(actor),
      cell: ({ actor, address }) => (
        <>
          {actorText(actor)}
          <div className="faint">{address ?? ''}</div>
        </>
      ),
    },
    {
      title: 'Action',
      text: ({ action }) => action,
      cell: ({ action, path }) => (
        <>
          <code className="path">{action}</code>
          {!action.endsWith(path) && (
            <div className="faint">
              <code className="path">{path}</code>
            </div>
          )}
        </>
      ),
    },
    {
      title: 'Target',
      text: ({ target }) => (target === null ? '–' : `${target.type} ${target.id ?? ''}`),
      cell: ({ target }) => <Target target={target} />,
    },
    { title: 'Changes', text: ({ changes }) => changesText(changes) },
    { title: 'Environment', text: ({ environmentId }) => environmentText(environmentId) },
    {
      title: 'Status',
      align: 'end',
      text: ({ status }) => (status === null ? 'Unknown' : String(status)),
    },
    {
      title: 'Request',
      text: ({ requestId }) => requestId,
      cell: ({ requestId }) => <ShortId id={requestId} what="request id" />,
    },
  ];
  return (
    <ResourceTable
      caption="Audit log"
      path="/dashboard/api/audit"
      query={query}
      columns={columns}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No activity yet">
          Changes by operators and API keys appear here.
        </EmptyState>
      }
    />
  );
}
