import { useState } from 'react';
import { Link } from 'wouter';
import { environmentName, refusalOf, useAtWork } from '../../api/environment';
import { useAction } from '../../api/queries';
import type { Environment, Sandbox } from '../../api/resources';
import { Button, CopyText } from '../../parts/buttons';
import type { Column } from '../../parts/data-table';
import { DialogButton } from '../../parts/dialog';
import { Form, SelectField, TextField } from '../../parts/form';
import { EmptyState, PageLayout, Panel } from '../../parts/layout';
import { ResourceTable } from '../../parts/resource-table';
import { wordsText } from '../../parts/text';
import { Day, Instant, ShortId } from '../../parts/values';
import { environmentPath } from '../../shell/environment-path';
import { fromTimeField } from '../../parts/time-field';

type MadeSandbox = Sandbox & { readonly key: string | null };

/** Where one can try everything: no money moves, and time can be one's own. */
export function SandboxListPage() {
  const { session } = useAtWork();
  const refusal = refusalOf(session.operator.role, { isLive: true, segment: 'sandboxes' });
  const [made, setMade] = useState<MadeSandbox>();
  const [search, setSearch] = useState('');
  return (
    <PageLayout
      title="Sandboxes"
      lead="Environments of their own, in which nobody is charged. One with a manual clock lives months in a minute."
      actions={
        <DialogButton label="New sandbox" refusal={refusal}>
          {(close) => (
            <SandboxForm
              onCancel={close}
              onMade={(sandbox) => {
                setMade(sandbox);
                close();
              }}
            />
          )}
        </DialogButton>
      }
    >
      {made !== undefined && made.key !== null && (
        <FirstKey made={made} onDone={() => setMade(undefined)} />
      )}
      <Panel>
        <input
          type="search"
          aria-label="Find a sandbox by name or id"
          placeholder="Find by name or id"
          autoComplete="off"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <ResourceTable
          caption="Sandboxes"
          path="/dashboard/api/environments"
          query={{ search, sandboxesOnly: true }}
          columns={columns}
          rowKey={({ id }) => id}
          empty={
            <EmptyState title={search === '' ? 'No sandboxes yet' : 'No sandbox matches'}>
              {search === ''
                ? 'Create one with “New sandbox” to try what you build.'
                : 'Search for another name or id.'}
            </EmptyState>
          }
        />
      </Panel>
    </PageLayout>
  );
}

function FirstKey({ made, onDone }: { made: MadeSandbox; onDone: () => void }) {
  return (
    <Panel title={made.name ?? 'Sandbox'}>
      <p>Its first API key. Copy it now: it is not shown again.</p>
      <CopyText text={made.key ?? ''} what="API key" />
      <div className="actions">
        <Button onClick={onDone}>I have it</Button>
        <Link className="button main" href={`~/dashboard/${made.id}`}>
          Work there
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
  { title: 'Clock', text: ({ clock }) => wordsText(clock) },
  { title: 'Its time', text: ({ now }) => now, cell: ({ now }) => <Instant at={now} /> },
  {
    title: 'Made',
    text: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Day at={createdAt} />,
  },
  {
    title: 'Deletion',
    text: ({ deletesAt }) => deletesAt ?? '',
    cell: ({ deletesAt }) => deletesAt !== null && <Day at={deletesAt} />,
  },
  { title: 'Id', text: ({ id }) => id, cell: ({ id }) => <ShortId id={id} what="id" /> },
];

function SandboxForm({
  onMade,
  onCancel,
}: {
  onMade: (sandbox: MadeSandbox) => void;
  onCancel: () => void;
}) {
  const { session } = useAtWork();
  const live = session.environments.find(({ kind }) => kind === 'LIVE');
  const [clock, setClock] = useState('MANUAL');
  const make = useAction<{ body: object }, MadeSandbox>(({ body }) => ({
    method: 'POST',
    path: '/v1/sandboxes',
    // Only the live environment makes sandboxes, wherever one looks.
    environmentId: live?.id,
    body,
  }));
  return (
    <Form
      submit="Make sandbox"
      onCancel={onCancel}
      onSubmit={async (values) => {
        const startsAt = fromTimeField(values.optional('startsAt'));
        onMade(await make.mutateAsync({ body: { name: values.text('name'), clock, startsAt } }));
      }}
    >
      <TextField name="name" label="Name" autoComplete="off" maxLength={200} autoFocus />
      <SelectField
        name="clock"
        label="Clock"
        value={clock}
        onChange={setClock}
        choices={[
          ['MANUAL', 'Manual: it stands until you advance it'],
          ['REAL', 'Real: it is now'],
        ]}
      />
      {clock === 'MANUAL' && (
        <TextField
          name="startsAt"
          label="Starts at"
          type="datetime-local"
          hint="In UTC. Empty: now."
        />
      )}
    </Form>
  );
}
