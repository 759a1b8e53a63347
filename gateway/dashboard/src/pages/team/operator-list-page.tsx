import { useState } from 'react';
import { useWorkspace } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import type { Operator } from '../../api/session';
import { Button, CopyText } from '../../parts/element/buttons';
import { type Column, DataTable } from '../../parts/table/data-table';
import { DialogButton } from '../../parts/overlay/dialog';
import { Form, SelectField, TextField } from '../../parts/form/form';
import { PageLayout, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { labelText } from '../../parts/text/text';
import { Day, Instant, StatusBadge } from '../../parts/element/values';
import { assignableRoles, managementRefusal } from '../../resources/team-roles';
import { OperatorActions, type ResetLink } from './operator-actions';
import { OrganizationForm } from './organization-form';

interface Invitation {
  readonly link: string;
  readonly expiresAt: string;
  /** True if the link was mailed as well. */
  readonly emailed: boolean;
}

const path = '/dashboard/api/operators';

/** List of operators, with invitations. */
export function OperatorListPage() {
  const { operator } = useWorkspace().session;
  const refusal = managementRefusal(operator.role);
  const operators = useResource<{ data: readonly Operator[] }>(path);
  const [invited, setInvited] = useState<Invitation>();
  const [reset, setReset] = useState<ResetLink>();
  return (
    <PageLayout
      title="Team"
      lead="Owners and admins have full access, developers build in sandboxes, viewers have read-only access."
      actions={
        <>
          <DialogButton
            label="Rename organization"
            tone="quiet"
            refusal={operator.role === 'OWNER' ? undefined : 'Requires the owner role.'}
          >
            {(close) => <OrganizationForm onDone={close} />}
          </DialogButton>
          <DialogButton label="Invite" title="Invite a team member" refusal={refusal}>
            {(close) => (
              <InvitationForm
                onCancel={close}
                onInvited={(invitation) => {
                  setInvited(invitation);
                  close();
                }}
              />
            )}
          </DialogButton>
        </>
      }
    >
      {invited !== undefined && (
        <Panel title="Invitation">
          <p>
            {invited.emailed
              ? 'The new team member gets this link by email.'
              : 'Send this link to the new team member.'}{' '}
            It works once, until <Instant at={invited.expiresAt} />. You won’t see it again.
          </p>
          <CopyText text={invited.link} what="invitation link" />
          <div className="actions">
            <Button onClick={() => setInvited(undefined)}>Done</Button>
          </div>
        </Panel>
      )}
      {reset !== undefined && (
        <Panel title={`New password for ${reset.name}`}>
          <p>
            Send this link to {reset.name}. It works once, until <Instant at={reset.expiresAt} />.
            You won’t see it again. Setting the password ends all sessions of {reset.name}.
          </p>
          <CopyText text={reset.url} what="reset link" />
          <div className="actions">
            <Button onClick={() => setReset(undefined)}>Done</Button>
          </div>
        </Panel>
      )}
      <Panel>
        <Answer of={operators} what="the team">
          {({ data }) => <OperatorTable operators={data} onReset={setReset} />}
        </Answer>
      </Panel>
    </PageLayout>
  );
}

function OperatorTable({
  operators,
  onReset,
}: {
  operators: readonly Operator[];
  onReset: (link: ResetLink) => void;
}) {
  const me = useWorkspace().session.operator;
  const assignable = assignableRoles(me.role);
  const columns: Column<Operator>[] = [
    { title: 'Name', text: ({ name }) => name, cell: ({ name }) => <strong>{name}</strong> },
    {
      title: 'Email',
      text: ({ email }) => email,
      cell: ({ email, emailProven }) => (
        <>
          {email}
          {!emailProven && <div className="faint">Email not verified</div>}
        </>
      ),
    },
    { title: 'Role', text: ({ role }) => labelText(role) },
    {
      title: 'Status',
      text: ({ active }) => (active ? 'Active' : 'Inactive'),
      cell: ({ active }) => <StatusBadge status={active ? 'ACTIVE' : 'INACTIVE'} />,
    },
    {
      title: 'Second factor',
      text: ({ secondFactor }) => (secondFactor === null ? 'Off' : 'On'),
    },
    { title: 'Invited by', text: ({ invitedBy }) => invitedBy?.email ?? '–' },
    {
      title: 'Joined',
      text: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Day at={createdAt} />,
    },
    {
      title: 'Actions',
      text: () => '',
      cell: (one) =>
        one.id !== me.id &&
        assignable.includes(one.role) && <OperatorActions {...{ one, onReset }} />,
    },
  ];
  return <DataTable caption="Team" columns={columns} rows={operators} rowKey={({ id }) => id} />;
}

function InvitationForm({
  onInvited,
  onCancel,
}: {
  onInvited: (invitation: Invitation) => void;
  onCancel: () => void;
}) {
  const { operator } = useWorkspace().session;
  const invite = useAction<{ email: string; role: string }, Invitation>(
    (body) => ({
      method: 'POST',
      path,
      body,
    }),
    'Invitation created',
  );
  return (
    <Form
      submit="Create invitation"
      onCancel={onCancel}
      onSubmit={async (values) => {
        const input = { email: values.text('email'), role: values.text('role') };
        onInvited(await invite.mutateAsync(input));
      }}
    >
      <TextField name="email" label="Email" type="email" autoComplete="off" autoFocus />
      <SelectField
        name="role"
        label="Role"
        defaultValue="VIEWER"
        choices={assignableRoles(operator.role).map((role) => [role, labelText(role)])}
      />
    </Form>
  );
}
