import { useAtWork } from '../../api/environment';
import { useAction } from '../../api/queries';
import type { Operator } from '../../api/resources';
import { ConfirmButton, DialogButton } from '../../parts/dialog';
import { ChoicesField, Form, SelectField } from '../../parts/form';
import { wordsText } from '../../parts/text';
import { mayReset, rolesToGive } from './leading';

/** A link by which an operator sets a new password. */
export interface ResetLink {
  /** Of the operator. */
  readonly name: string;
  readonly url: string;
  readonly expiresAt: string;
}

const path = '/dashboard/api/operators';

function useChange(one: Operator) {
  return useAction(({ body }: { body: object }) => ({
    method: 'PATCH',
    path: `${path}/${one.id}`,
    body,
  }));
}

/** What one may do about another operator. */
export function OperatorActions({
  one,
  onReset,
}: {
  one: Operator;
  onReset: (link: ResetLink) => void;
}) {
  const { operator: me } = useAtWork().session;
  const change = useChange(one);
  const makeLink = useAction<object, Omit<ResetLink, 'name'>>(() => ({
    method: 'POST',
    path: `${path}/${one.id}/reset-link`,
    body: {},
  }));
  return (
    <div className="actions">
      <DialogButton label="Role" title={`The role of ${one.name}`} tone="quiet">
        {(close) => (
          <Form
            submit="Change role"
            onCancel={close}
            onSubmit={async (values) => {
              await change.mutateAsync({ body: { role: values.text('role') } });
              close();
            }}
          >
            <SelectField
              name="role"
              label="Role"
              defaultValue={one.role}
              choices={rolesToGive(me.role).map((role) => [role, wordsText(role)])}
            />
          </Form>
        )}
      </DialogButton>
      {one.active && mayReset(me.role, one.role) && (
        <ConfirmButton
          label="New password"
          title={`A new password for ${one.name}?`}
          confirm="Make link"
          tone="main"
          onConfirm={async () => {
            const link = await makeLink.mutateAsync({});
            onReset({ name: one.name, ...link });
          }}
        >
          <p>
            You get a link by which they set a new password. Anyone who has the link can sign in as
            them: send it to them alone.
          </p>
        </ConfirmButton>
      )}
      {one.active ? <ShutOut one={one} /> : <LetIn one={one} />}
    </div>
  );
}

function ShutOut({ one }: { one: Operator }) {
  const change = useChange(one);
  return (
    <DialogButton label="Shut out" title={`Shut ${one.name} out?`} tone="quiet">
      {(close) => (
        <Form
          submit="Shut out"
          tone="danger"
          onCancel={close}
          onSubmit={async (values) => {
            const revokeKeys = values.all('revokeKeys').length > 0;
            await change.mutateAsync({ body: { active: false, revokeKeys } });
            close();
          }}
        >
          <p>All their sessions end at once, and they cannot sign in.</p>
          <ChoicesField
            name="revokeKeys"
            label="Their API keys"
            hint="Keys stay good when the operator who made them leaves."
            choices={['yes']}
            labelOf={() => 'Revoke all API keys that they made, in all environments'}
          />
        </Form>
      )}
    </DialogButton>
  );
}

function LetIn({ one }: { one: Operator }) {
  const change = useChange(one);
  return (
    <ConfirmButton
      label="Let in"
      title={`Let ${one.name} in again?`}
      tone="main"
      onConfirm={() => change.mutateAsync({ body: { active: true } })}
    >
      <p>They can sign in with their old password.</p>
    </ConfirmButton>
  );
}
