import { useWorkspace } from '../../api/environment';
import { useAction } from '../../api/queries';
import type { Operator } from '../../api/session';
import { ConfirmButton, DialogButton } from '../../parts/overlay/dialog';
import { ChoicesField } from '../../parts/form/choices-field';
import { Form, SelectField } from '../../parts/form/form';
import { labelText } from '../../parts/text/text';
import { assignableRoles, mayReset } from '../../resources/team-roles';

/** Link that lets an operator set a new password. */
export interface ResetLink {
  /** Name of the operator. */
  readonly name: string;
  readonly url: string;
  readonly expiresAt: string;
}

const path = '/dashboard/api/operators';

function useChange(one: Operator) {
  return useAction(
    ({ body }: { body: object }) => ({
      method: 'PATCH',
      path: `${path}/${one.id}`,
      body,
    }),
    `${one.name} updated`,
  );
}

/** Actions on another operator. */
export function OperatorActions({
  one,
  onReset,
}: {
  one: Operator;
  onReset: (link: ResetLink) => void;
}) {
  const { operator: me } = useWorkspace().session;
  const change = useChange(one);
  const createLink = useAction<object, Omit<ResetLink, 'name'>>(
    () => ({
      method: 'POST',
      path: `${path}/${one.id}/reset-link`,
      body: {},
    }),
    'Reset link created',
  );
  return (
    <div className="actions">
      <DialogButton label="Change role" title={`Change the role of ${one.name}`} tone="quiet">
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
              choices={assignableRoles(me.role).map((role) => [role, labelText(role)])}
            />
          </Form>
        )}
      </DialogButton>
      {one.active && mayReset(me.role, one.role) && (
        <ConfirmButton
          label="Reset password"
          title={`Reset the password of ${one.name}?`}
          confirm="Create link"
          tone="main"
          onConfirm={async () => {
            const link = await createLink.mutateAsync({});
            onReset({ name: one.name, ...link });
          }}
        >
          <p>
            Creates a link for setting a new password. Anyone with the link can set the password of{' '}
            {one.name}, so send it to no one else. A second factor stays on.
          </p>
        </ConfirmButton>
      )}
      {me.role === 'OWNER' && one.secondFactor !== null && <RemoveFactorButton one={one} />}
      {one.active ? <DeactivateButton one={one} /> : <ReactivateButton one={one} />}
    </div>
  );
}

function RemoveFactorButton({ one }: { one: Operator }) {
  const remove = useAction(
    () => ({ method: 'DELETE', path: `${path}/${one.id}/second-factor` }),
    `Second factor of ${one.name} removed`,
  );
  return (
    <ConfirmButton
      label="Remove second factor"
      title={`Remove the second factor of ${one.name}?`}
      onConfirm={() => remove.mutateAsync({})}
    >
      <p>
        Ends all sessions of {one.name}, whose password then needs no code. Where a second factor is
        required, {one.name} must set up another one. Make sure that it is {one.name} who asks for
        it.
      </p>
    </ConfirmButton>
  );
}

function DeactivateButton({ one }: { one: Operator }) {
  const change = useChange(one);
  return (
    <DialogButton label="Deactivate" title={`Deactivate ${one.name}?`} tone="quiet">
      {(close) => (
        <Form
          submit="Deactivate"
          tone="danger"
          onCancel={close}
          onSubmit={async (values) => {
            const revokeKeys = values.all('revokeKeys').length > 0;
            await change.mutateAsync({ body: { active: false, revokeKeys } });
            close();
          }}
        >
          <p>Ends all sessions immediately. {one.name} can no longer sign in.</p>
          <ChoicesField
            name="revokeKeys"
            label="API keys"
            hint="API keys keep working after their creator is deactivated."
            choices={['yes']}
            labelOf={() => 'Revoke all API keys created by this operator, in all environments'}
          />
        </Form>
      )}
    </DialogButton>
  );
}

function ReactivateButton({ one }: { one: Operator }) {
  const change = useChange(one);
  return (
    <ConfirmButton
      label="Reactivate"
      title={`Reactivate ${one.name}?`}
      tone="main"
      onConfirm={() => change.mutateAsync({ body: { active: true } })}
    >
      <p>{one.name} can sign in with the previous password.</p>
    </ConfirmButton>
  );
}
