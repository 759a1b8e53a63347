import { environmentName, useAtWork } from '../../api/environment';
import type { AuditEntry } from '../../api/resources';
import type { Column } from '../../parts/data-table';
import { EmptyState, PageLayout, Panel } from '../../parts/layout';
import { ResourceTable } from '../../parts/resource-table';
import { wordsText } from '../../parts/text';
import { Instant, ShortId } from '../../parts/values';
import { leadingRefusal } from './leading';

/** What operators changed, and how it ended. */
export function AuditLogPage() {
  const { role } = useAtWork().session.operator;
  const refusal = leadingRefusal(role);
  return (
    <PageLayout
      title="Audit log"
      lead="What operators changed, and who came and went: the newest first."
    >
      <Panel>
        {refusal === undefined ? (
          <AuditTable />
        ) : (
          <EmptyState title="Not for you to see">{refusal}</EmptyState>
        )}
      </Panel>
    </PageLayout>
  );
}

function AuditTable() {
  const { session } = useAtWork();
  const environmentText = (id: string | null) => {
    const found = session.environments.find((one) => one.id === id);
    return found === undefined ? (id ?? '–') : environmentName(found);
  };
  const columns: Column<AuditEntry>[] = [
    { title: 'When', text: ({ at }) => at, cell: ({ at }) => <Instant at={at} /> },
    {
      title: 'Who',
      text: ({ operatorEmail }) => operatorEmail,
      cell: ({ operatorEmail, role }) => (
        <>
          {operatorEmail}
          <div className="faint">{wordsText(role)}</div>
        </>
      ),
    },
    {
      title: 'What',
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
    { title: 'Where', text: ({ environmentId }) => environmentText(environmentId) },
    {
      title: 'Status',
      align: 'end',
      text: ({ status }) => (status === null ? 'not known' : String(status)),
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
      columns={columns}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="Nothing changed yet">
          What anybody changes here is written down with who did it.
        </EmptyState>
      }
    />
  );
}
