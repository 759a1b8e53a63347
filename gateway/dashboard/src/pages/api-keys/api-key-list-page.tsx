import { useState } from 'react';
import { environmentName, useEnvironment, useRealNow, useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import type { ApiKey, Operator } from '../../api/resources';
import { Button, CopyText } from '../../parts/buttons';
import type { Column } from '../../parts/data-table';
import { DialogButton } from '../../parts/dialog';
import { ChoicesField, Form } from '../../parts/form';
import { EmptyState, PageLayout, Panel } from '../../parts/layout';
import { Notice } from '../../parts/notices';
import { ResourceTable } from '../../parts/resource-table';
import { Day, StatusBadge } from '../../parts/values';
import { creatorText } from './key-creator';
import { keyState } from './key-state';
import { curlText } from './key-scopes';
import { type MadeKey, NewKeyForm } from './new-key-form';

/** The keys of an environment. A new one is shown once, with a command that works. */
export function ApiKeyListPage() {
  const environment = useEnvironment();
  const refusal = useRefusal('api-keys');
  const [made, setMade] = useState<MadeKey>();
  return (
    <PageLayout
      title="API keys"
      lead={`Programs call the API with them, in ${environmentName(environment)} alone.`}
      actions={
        <DialogButton label="New key" title="New API key" refusal={refusal}>
          {(close) => (
            <NewKeyForm
              onCancel={close}
              onMade={(key) => {
                setMade(key);
                close();
              }}
            />
          )}
        </DialogButton>
      }
    >
      {made !== undefined && (
        <ShownOnce key={made.id} made={made} onDone={() => setMade(undefined)} />
      )}
      <Panel>
        <KeyTable refusal={refusal} />
      </Panel>
    </PageLayout>
  );
}

function ShownOnce({ made, onDone }: { made: MadeKey; onDone: () => void }) {
  if (made.key === null) {
    return (
      <Notice tone="wait">
        <p>
          {made.name} was made by an earlier try, and its text was told then. Revoke it and make
          another.
        </p>
      </Notice>
    );
  }
  const command = curlText(made.key, { origin: window.location.origin, scopes: made.scopes });
  return (
    <Panel title={made.name}>
      <p>Copy this key now: it is not shown again.</p>
      <CopyText text={made.key} what="API key" />
      <p>Try it:</p>
      <CopyText text={command} what="curl command" />
      <div className="actions">
        <Button onClick={onDone}>I have it</Button>
      </div>
    </Panel>
  );
}

function KeyTable({ refusal }: { refusal: string | undefined }) {
  const now = useRealNow();
  const operators = useResource<{ data: readonly Operator[] }>('/dashboard/api/operators');
  const columns: Column<ApiKey>[] = [
    { title: 'Name', text: ({ name }) => name, cell: ({ name }) => <strong>{name}</strong> },
    {
      title: 'Key',
      text: ({ prefix, last4 }) => `${prefix}…${last4}`,
      cell: ({ prefix, last4 }) => (
        <code className="number">
          {prefix}…{last4}
        </code>
      ),
    },
    {
      title: 'Scopes',
      text: ({ scopes }) => (scopes.length === 0 ? 'all' : scopes.join(' ')),
      cell: ({ scopes }) => <Scopes scopes={scopes} />,
    },
    {
      title: 'Last used',
      text: ({ lastUsedAt }) => lastUsedAt ?? 'never',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Day at={lastUsedAt} />),
    },
    {
      title: 'Expires',
      text: ({ expiresAt }) => expiresAt ?? 'never',
      cell: ({ expiresAt }) => (expiresAt === null ? 'never' : <Day at={expiresAt} />),
    },
    {
      title: 'State',
      text: (key) => keyState(key, now),
      cell: (key) => <StatusBadge status={keyState(key, now)} />,
    },
    {
      title: 'Made',
      text: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Day at={createdAt} />,
    },
    {
      title: 'Made by',
      text: ({ createdBy }) => creatorText(createdBy, operators.data?.data ?? []),
    },
    {
      title: 'Actions',
      text: () => '',
      cell: (key) =>
        keyState(key, now) === 'ACTIVE' && <RevokeButton {...{ refusal }} apiKey={key} />,
    },
  ];
  return (
    <ResourceTable
      caption="API keys"
      path="/v1/api-keys"
      columns={columns}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No keys yet">
          Make one with “New key”: it is shown with a command that calls the API.
        </EmptyState>
      }
    />
  );
}

function Scopes({ scopes }: { scopes: readonly string[] }) {
  if (scopes.length === 0) return <>all</>;
  if (scopes.length <= 2) return <>{scopes.join(', ')}</>;
  return (
    <details>
      <summary>{scopes.length} scopes</summary>
      {scopes.join(', ')}
    </details>
  );
}

function RevokeButton({ apiKey, refusal }: { apiKey: ApiKey; refusal: string | undefined }) {
  const revoke = useAction(({ descendants }: { descendants: boolean }) => ({
    method: 'DELETE',
    path: `/v1/api-keys/${apiKey.id}`,
    query: descendants ? { descendants: 'true' } : {},
  }));
  if (refusal !== undefined) return null;
  return (
    <DialogButton label="Revoke" title={`Revoke ${apiKey.name}?`} tone="quiet">
      {(close) => (
        <Form
          submit="Revoke"
          tone="danger"
          onCancel={close}
          onSubmit={async (values) => {
            const descendants = values.all('descendants').length > 0;
            await revoke.mutateAsync({ descendants });
            close();
          }}
        >
          <p>
            Calls with <code>{`${apiKey.prefix}…${apiKey.last4}`}</code> are refused within five
            seconds, for ever.
          </p>
          <ChoicesField
            name="descendants"
            label="Keys made with it"
            hint="A key can make other keys. If this one leaked, revoke them as well."
            choices={['yes']}
            labelOf={() => 'Also revoke all keys that were made with it'}
          />
        </Form>
      )}
    </DialogButton>
  );
}
