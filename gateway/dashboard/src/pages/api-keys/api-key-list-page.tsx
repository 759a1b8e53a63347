import { useState } from 'react';
import { environmentName, useEnvironment, useRealNow, useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { type ApiKey, creatorText, keyState } from './api-key';
import type { Operator } from '../../api/session';
import { Button, CopyText } from '../../parts/element/buttons';
import type { Column } from '../../parts/table/data-table';
import { DialogButton } from '../../parts/overlay/dialog';
import { ChoicesField } from '../../parts/form/choices-field';
import { Form } from '../../parts/form/form';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { Notice } from '../../parts/element/notices';
import { ResourceTable } from '../../parts/table/resource-table';
import { Day, Instant, StatusBadge } from '../../parts/element/values';
import { curlText } from './key-scopes';
import { type CreatedKey, NewKeyForm } from './new-key-form';

/** API keys of an environment. A new key is shown once, with a command that uses it. */
export function ApiKeyListPage() {
  const environment = useEnvironment();
  const refusal = useRefusal('api-keys');
  const [created, setCreated] = useState<CreatedKey>();
  return (
    <PageLayout
      title="API keys"
      lead={`Keys for ${environmentName(environment)}.`}
      actions={
        <DialogButton label="New key" title="New API key" refusal={refusal}>
          {(close) => (
            <NewKeyForm
              onCancel={close}
              onCreated={(key) => {
                setCreated(key);
                close();
              }}
            />
          )}
        </DialogButton>
      }
    >
      {created !== undefined && (
        <ShownOnce key={created.id} created={created} onDone={() => setCreated(undefined)} />
      )}
      <Panel>
        <KeyTable refusal={refusal} />
      </Panel>
    </PageLayout>
  );
}

function ShownOnce({ created, onDone }: { created: CreatedKey; onDone: () => void }) {
  if (created.key === null) {
    return (
      <Notice tone="wait">
        <p>
          An earlier attempt created {created.name} and showed its key. Revoke it and create
          another.
        </p>
      </Notice>
    );
  }
  const command = curlText(created.key, { origin: window.location.origin, scopes: created.scopes });
  return (
    <Panel title={created.name}>
      <p>Copy this key now. You won’t see it again.</p>
      <CopyText text={created.key} what="API key" />
      <p>Try it:</p>
      <CopyText text={command} what="curl command" />
      <div className="actions">
        <Button onClick={onDone}>Done</Button>
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
      text: ({ scopes }) => (scopes.length === 0 ? 'All' : scopes.join(' ')),
      cell: ({ scopes }) => <Scopes scopes={scopes} />,
    },
    {
      title: 'Last used',
      text: ({ lastUsedAt }) => lastUsedAt ?? 'Never',
      cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <Day at={lastUsedAt} />),
    },
    {
      title: 'Expires',
      text: ({ expiresAt }) => expiresAt ?? 'Never',
      cell: ({ expiresAt }) => (expiresAt === null ? 'Never' : <Instant at={expiresAt} />),
    },
    {
      title: 'Status',
      text: (key) => keyState(key, now),
      cell: (key) => <StatusBadge status={keyState(key, now)} />,
    },
    {
      title: 'Created',
      text: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Day at={createdAt} />,
    },
    {
      title: 'Created by',
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
      hasOrder
      columns={columns}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No keys yet">Create a key to call the API from your code.</EmptyState>
      }
    />
  );
}

function Scopes({ scopes }: { scopes: readonly string[] }) {
  if (scopes.length === 0) return <>All</>;
  if (scopes.length <= 2) return <>{scopes.join(', ')}</>;
  return (
    <details>
      <summary>{scopes.length} scopes</summary>
      {scopes.join(', ')}
    </details>
  );
}

function RevokeButton({ apiKey, refusal }: { apiKey: ApiKey; refusal: string | undefined }) {
  const revoke = useAction(
    ({ descendants }: { descendants: boolean }) => ({
      method: 'DELETE',
      path: `/v1/api-keys/${apiKey.id}`,
      query: descendants ? { descendants: 'true' } : {},
    }),
    'API key revoked',
  );
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
            Requests with <code>{`${apiKey.prefix}…${apiKey.last4}`}</code> are rejected within five
            seconds. This can’t be undone.
          </p>
          <ChoicesField
            name="descendants"
            label="Keys created with this key"
            hint="Revoke them too if this key leaked."
            choices={['yes']}
            labelOf={() => 'Also revoke keys created with this key'}
          />
        </Form>
      )}
    </DialogButton>
  );
}
