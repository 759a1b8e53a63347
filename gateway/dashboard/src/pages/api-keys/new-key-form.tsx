import { useAtWork } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import type { ApiKey, Choices } from '../../api/resources';
import { ChoicesField, Form, TextField } from '../../parts/form';
import { Answer } from '../../parts/notices';
import { grantableScopes, startOfDay, wantedScopes } from './key-scopes';

/** A key with its text, which nobody is told again; null where an earlier try made it. */
export type MadeKey = ApiKey & { readonly key: string | null };

interface KeyWish {
  readonly name: string;
  readonly scopes: readonly string[] | undefined;
  readonly expiresAt: string | undefined;
}

/** Asks what a key is for, what it may do, and until when. */
export function NewKeyForm({
  onMade,
  onCancel,
}: {
  onMade: (key: MadeKey) => void;
  onCancel: () => void;
}) {
  const choices = useResource<Choices>('/dashboard/api/choices');
  return (
    <Answer of={choices} what="scopes">
      {({ scopes }) => <WishForm {...{ onMade, onCancel }} all={scopes} />}
    </Answer>
  );
}

function WishForm({
  all,
  onMade,
  onCancel,
}: {
  all: readonly string[];
  onMade: (key: MadeKey) => void;
  onCancel: () => void;
}) {
  const { session, environment } = useAtWork();
  const isLive = environment.kind === 'LIVE';
  const grantable = grantableScopes(all, { role: session.operator.role, isLive });
  const make = useAction<KeyWish, MadeKey>((body) => ({
    method: 'POST',
    path: '/v1/api-keys',
    body,
  }));
  return (
    <Form
      submit="Make key"
      onCancel={onCancel}
      onSubmit={async (values) => {
        const scopes = wantedScopes(values.all('scopes'), { all, grantable });
        const expiresAt = startOfDay(values.optional('expiresAt'));
        onMade(await make.mutateAsync({ name: values.text('name'), scopes, expiresAt }));
      }}
    >
      <TextField name="name" label="Name" autoComplete="off" maxLength={120} autoFocus />
      <TextField
        name="expiresAt"
        label="Expires"
        type="date"
        hint="The day from which it is refused, in UTC. Empty: never."
      />
      <ChoicesField
        name="scopes"
        label="Scopes"
        hint="What it may do. None marked: all that you may do here yourself."
        choices={grantable}
      />
      {grantable.includes('portal:write') && (
        <p className="faint">
          A key with <code>portal:write</code> can act as every customer of this environment: it
          opens the customer portal for any of them, where subscriptions are cancelled and payment
          methods are changed. Give it only to a server that knows its users.
        </p>
      )}
    </Form>
  );
}
