import type { toJsonSandbox } from '@billing/proto/json/sandbox';
import { useState } from 'react';
import { Link } from 'wouter';
import { environmentName, refusalOf, useWorkspace } from '../../api/environment';
import { useAction } from '../../api/queries';
import type { Environment } from '../../api/session';
import { Button, CopyText } from '../../parts/element/buttons';
import type { Column } from '../../parts/table/data-table';
import { DialogButton } from '../../parts/overlay/dialog';
import { Filters, TextFilter, useFilters } from '../../parts/form/filters';
import { Form, SelectField, TextField } from '../../parts/form/form';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { ResourceTable } from '../../parts/table/resource-table';
import { labelText } from '../../parts/text/text';
import { ClockTime, Day, ShortId } from '../../parts/element/values';
import { environmentPath } from '../../api/environment-path';
import { fromTimeField } from '../../parts/text/time-field';

type CreatedSandbox = ReturnType<typeof toJsonSandbox> & { readonly key: string | null };

/** List of sandboxes, with a form for a new one. */
export function SandboxListPage() {
  const { session } = useWorkspace();
  const refusal = refusalOf(session.operator.role, { isLive: true, segment: 'sandboxes' });
  const [created, setCreated] = useState<CreatedSandbox>();
  const filters = useFilters(['search']);
  return (
    <PageLayout
      title="Sandboxes"
      lead="Test environments. No real charges. Use a manual clock to fast-forward months in seconds."
      actions={
        <DialogButton label="New sandbox" refusal={refusal}>
          {(close) => (
            <SandboxForm
              onCancel={close}
              onCreated={(sandbox) => {
                setCreated(sandbox);
                close();
              }}
            />
          )}
        </DialogButton>
      }
    >
      {created !== undefined && created.key !== null && (
        <FirstKey created={created} onDone={() => setCreated(undefined)} />
      )}
      <Panel>
        <Filters state={filters}>
          <TextFilter label="Name or ID" {...filters.field('search')} />
        </Filters>
        <ResourceTable
          caption="Sandboxes"
          path="/dashboard/api/environments"
          hasOrder
          query={{ ...filters.values, sandboxesOnly: true }}
          columns={columns}
          rowKey={({ id }) => id}
          empty={
            <EmptyState title={filters.isFiltered ? 'No sandboxes found' : 'No sandboxes yet'}>
              {filters.isFiltered
                ? 'Try another name or ID.'
                : 'Create one to test your integration.'}
            </EmptyState>
          }
        />
      </Panel>
    </PageLayout>
  );
}

function FirstKey({ created, onDone }: { created: CreatedSandbox; onDone: () => void }) {
  return (
    <Panel title={created.name ?? 'Sandbox'}>
      <p>Your API key. Copy it now. You won’t see it again.</p>
      <CopyText text={created.key ?? ''} what="API key" />
      <div className="actions">
        <Button onClick={onDone}>Done</Button>
        <Link className="button main" href={`~/dashboard/${created.id}`}>
          Open sandbox
        </Link>
      </div>
    </Panel>
  );
}

const columns: Column<Environment>[] = [
  {
    title: 'Name',
    text: environmentName,
    cell: (one) => (
      <Link href={`~/dashboard${environmentPath(one)}/developers/sandboxes/${one.id}`}>
        {environmentName(one)}
      </Link>
    ),
  },
  { title: 'Clock', text: ({ clock }) => labelText(clock) },
  { title: 'Time', text: ({ now }) => now, cell: ({ now }) => <ClockTime at={now} /> },
  {
    title: 'Created',
    text: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Day at={createdAt} />,
  },
  {
    title: 'Deletes on',
    text: ({ deletesAt }) => deletesAt ?? '',
    cell: ({ deletesAt }) => deletesAt !== null && <Day at={deletesAt} />,
  },
  { title: 'ID', text: ({ id }) => id, cell: ({ id }) => <ShortId id={id} what="id" /> },
];

function SandboxForm({
  onCreated,
  onCancel,
}: {
  onCreated: (sandbox: CreatedSandbox) => void;
  onCancel: () => void;
}) {
  const { session } = useWorkspace();
  const live = session.environments.find(({ kind }) => kind === 'LIVE');
  const [clock, setClock] = useState('MANUAL');
  const create = useAction<{ body: object }, CreatedSandbox>(
    ({ body }) => ({
      method: 'POST',
      path: '/v1/sandboxes',
      // Only the live environment creates sandboxes, also when a sandbox is selected.
      environmentId: live?.id,
      body,
    }),
    ({ id }) => ({ text: 'Sandbox created', environment: { kind: 'SANDBOX', id }, href: '' }),
  );
  return (
    <Form
      submit="Create sandbox"
      onCancel={onCancel}
      onSubmit={async (values) => {
        const startsAt = fromTimeField(values.optional('startsAt'));
        onCreated(
          await create.mutateAsync({ body: { name: values.text('name'), clock, startsAt } }),
        );
      }}
    >
      <TextField name="name" label="Name" autoComplete="off" maxLength={200} autoFocus />
      <SelectField
        name="clock"
        label="Clock"
        value={clock}
        onChange={setClock}
        choices={[
          ['MANUAL', 'Manual: moves only when you advance it'],
          ['REAL', 'Real time'],
        ]}
      />
      {clock === 'MANUAL' && (
        <TextField
          name="startsAt"
          label="Start time (UTC)"
          type="datetime-local"
          hint="Optional. Default: now."
        />
      )}
    </Form>
  );
}
