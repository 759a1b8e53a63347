import type { StuckCommandOfService } from '@billing/gateway/service-statuses';
import { useAction, useResource } from '../../api/queries';
import type { Session } from '../../api/session';
import { environmentNameOf, useWorkspace } from '../../api/environment';
import { instantColumn } from '../../parts/table/columns';
import { type Column, DataTable } from '../../parts/table/data-table';
import { ConfirmButton } from '../../parts/overlay/dialog';
import { Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { countText } from '../../parts/text/text';
import { ShortId } from '../../parts/element/values';
import { managementRefusal } from '../../resources/team-roles';

const path = '/dashboard/api/system/commands';

const columnsOf = (session: Session): readonly Column<StuckCommandOfService>[] => [
  {
    title: 'Command',
    text: ({ service, type }) => `${service} ${type}`,
    cell: ({ service, type }) => (
      <>
        {type}
        <div className="faint">{service}</div>
      </>
    ),
  },
  {
    title: 'Aggregate',
    text: ({ aggregate, aggregateId }) => `${aggregate} ${aggregateId}`,
    cell: ({ aggregate, aggregateId }) => (
      <>
        {aggregate} <ShortId id={aggregateId} what={`${aggregate} id`} />
      </>
    ),
  },
  { title: 'Environment', text: ({ environmentId }) => environmentNameOf(session, environmentId) },
  { title: 'Attempts', align: 'end', text: ({ attempts }) => countText(attempts) },
  { title: 'Last error', text: ({ lastError }) => lastError },
  instantColumn('Failing since', ({ since }) => since),
  { title: 'Actions', text: () => '', cell: (command) => <CommandActions command={command} /> },
];

/** Commands that keep failing, which an owner or admin can retry or skip. */
export function StuckCommands({ refetchMs }: { refetchMs: number }) {
  const { session } = useWorkspace();
  const isManager = managementRefusal(session.operator.role) === undefined;
  const answer = useResource<{ readonly commands: readonly StuckCommandOfService[] }>(path, {
    refetchMs,
    isEnabled: isManager,
  });
  if (!isManager) return null;
  return (
    <Panel title="Stuck commands">
      <p>These commands keep failing. Later commands of the same aggregate wait for them.</p>
      <Answer of={answer} what="stuck commands">
        {({ commands }) =>
          commands.length === 0 ? (
            <p className="hint">No stuck commands reported by the responding services.</p>
          ) : (
            <DataTable
              caption="Stuck commands"
              columns={columnsOf(session)}
              rows={commands}
              rowKey={({ service, id }) => `${service} ${id}`}
            />
          )
        }
      </Answer>
    </Panel>
  );
}

function CommandActions({ command }: { command: StuckCommandOfService }) {
  const { service, id, type } = command;
  const act = useAction(
    ({ action }: { action: 'retry' | 'skip' }) => ({
      method: 'POST',
      path: `${path}/${service}/${encodeURIComponent(id)}/${action}`,
      body: {},
    }),
    (_, { action }) => ({ text: action === 'retry' ? 'Command retried' : 'Command skipped' }),
  );
  return (
    <div className="actions">
      <ConfirmButton
        label="Retry"
        title="Retry this command?"
        tone="main"
        onConfirm={() => act.mutateAsync({ action: 'retry' })}
      >
        <p>{type} runs now. If it fails, it stays here.</p>
      </ConfirmButton>
      <ConfirmButton
        label="Skip"
        title="Skip this command?"
        confirm="Skip command"
        onConfirm={() => act.mutateAsync({ action: 'skip' })}
      >
        <p>
          {type} is removed and never runs. Its effect is missing and must be corrected manually.
          The next command of the aggregate runs. The audit log records the skip.
        </p>
      </ConfirmButton>
    </div>
  );
}
