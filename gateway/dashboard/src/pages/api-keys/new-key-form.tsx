import { useState } from 'react';
import { useWorkspace } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import type { ApiKey } from './api-key';
import type { Choices } from '../../resources/choices';
import { Button } from '../../parts/element/buttons';
import { ChoicesField } from '../../parts/form/choices-field';
import { Form, TextField } from '../../parts/form/form';
import { Answer } from '../../parts/element/notices';
import { grantableScopes, readOnlyScopes, startOfDay, wantedScopes } from './key-scopes';

/** A new key with its secret, which is shown once; null if an earlier attempt created the key. */
export type CreatedKey = ApiKey & { readonly key: string | null };

interface KeyInput {
  readonly name: string;
  readonly scopes: readonly string[] | undefined;
  readonly expiresAt: string | undefined;
}

/** Scopes of the last preset, and the number of presets so far. */
interface Marked {
  readonly scopes: readonly string[];
  readonly count: number;
}

/** Form for the name, scopes and expiry of a new key. */
export function NewKeyForm({
  onCreated,
  onCancel,
}: {
  onCreated: (key: CreatedKey) => void;
  onCancel: () => void;
}) {
  const choices = useResource<Choices>('/dashboard/api/choices');
  return (
    <Answer of={choices} what="scopes">
      {({ scopes }) => <KeyForm {...{ onCreated, onCancel }} all={scopes} />}
    </Answer>
  );
}

function KeyForm({
  all,
  onCreated,
  onCancel,
}: {
  all: readonly string[];
  onCreated: (key: CreatedKey) => void;
  onCancel: () => void;
}) {
  const { session, environment } = useWorkspace();
  const isLive = environment.kind === 'LIVE';
  const grantable = grantableScopes(all, { role: session.operator.role, isLive });
  // Each preset replaces the choice before it.
  const [marked, setMarked] = useState<Marked>({ scopes: [], count: 0 });
  const mark = (scopes: readonly string[]) => {
    setMarked(({ count }) => ({ scopes, count: count + 1 }));
  };
  const create = useAction<KeyInput, CreatedKey>(
    (body) => ({
      method: 'POST',
      path: '/v1/api-keys',
      body,
    }),
    'API key created',
  );
  return (
    <Form
      submit="Create key"
      onCancel={onCancel}
      onSubmit={async (values) => {
        const scopes = wantedScopes(values.all('scopes'), { all, grantable });
        const expiresAt = startOfDay(values.optional('expiresAt'));
        onCreated(await create.mutateAsync({ name: values.text('name'), scopes, expiresAt }));
      }}
    >
      <TextField name="name" label="Name" autoComplete="off" maxLength={120} autoFocus />
      <TextField name="expiresAt" label="Expires (UTC)" type="date" hint="Optional." />
      <div className="actions" role="group" aria-label="Presets of scopes">
        <Button
          onClick={() => {
            mark(readOnlyScopes(grantable));
          }}
        >
          Read only
        </Button>
        <Button
          onClick={() => {
            mark([]);
          }}
        >
          Full access
        </Button>
      </div>
      <ChoicesField
        key={marked.count}
        name="scopes"
        label="Scopes"
        hint="A key without marked scopes has full access: all scopes in this list."
        choices={grantable}
        marked={marked.scopes}
      />
      {grantable.includes('portal:write') && (
        <p className="faint">
          <code>portal:write</code> opens the customer portal for every customer of this
          environment, including canceling subscriptions and changing payment methods. Grant it only
          to a server that authenticates its users.
        </p>
      )}
    </Form>
  );
}
