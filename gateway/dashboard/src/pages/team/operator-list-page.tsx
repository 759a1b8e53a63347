import { useState } from 'react';
import { useAtWork } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import type { Operator } from '../../api/resources';
import { Button, CopyText } from '../../parts/buttons';
import { type Column, DataTable } from '../../parts/data-table';
import { DialogButton } from '../../parts/dialog';
import { Form, SelectField, TextField } from '../../parts/form';
import { PageLayout, Panel } from '../../parts/layout';
import { Answer } from '../../parts/notices';
import { wordsText } from '../../parts/text';
import { Day, Instant, StatusBadge } from '../../parts/values';
import { leadingRefusal, rolesToGive } from './leading';
import { OperatorActions, type ResetLink } from './operator-actions';

interface Invitation {
  readonly link: string;
  readonly expiresAt: string;
}

const path = '/dashboard/api/operators';

/** Who works here. */
export function OperatorListPage() {
  const { operator } = useAtWork().session;
  const refusal = leadingRefusal(operator.role);
  const operators = useResource<{ data: readonly Operator[] }>(path);
  const [invited, setInvited] = useState<Invitation>();
  const [reset, setReset] = useState<ResetLink>();
  return (
    <PageLayout
      title="Team"
      lead="Who may sign in here. Owners and admins do everything, developers build in sandboxes, viewers look."
      actions={
        <DialogButton label="Invite" title="Invite somebody" refusal={refusal}>
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
      }
    >
      {invited !== undefined && (
        <Panel title="Invitation">
          <p>
            Send them this link. It works once, until <Instant at={invited.expiresAt} />, and is not
            shown again.
          </p>
          <CopyText text={invited.link} what="invitation link" />
          <div className="actions">
            <Button onClick={() => setInvited(undefined)}>I have it</Button>
          </div>
        </Panel>
      )}
      {reset !== undefined && (
        <Panel title={`New password for ${reset.name}`}>
          <p>
            Send them this link. It works once, until <Instant at={reset.expiresAt} />, and is not
            shown again. Setting the password ends all their sessions.
          </p>
          <CopyText text={reset.url} what="reset link" />
          <div className="actions">
            <Button onClick={() => setReset(undefined)}>I have it</Button>
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
  const me = useAtWork().session.operator;
  const given = rolesToGive(me.role);
  const columns: Column<Operator>[] = [
    { title: 'Name', text: ({ name }) => name, cell: ({ name }) => <strong>{name}</strong> },
    {
      title: 'E-mail',
      text: ({ email }) => email,
      cell: ({ email, emailProven }) => (
        <>
          {email}
          {!emailProven && <div className="faint">e-mail not proven</div>}
        </>
      ),
    },
    { title: 'Role', text: ({ role }) => wordsText(role) },
    {
      title: 'State',
      text: ({ active }) => (active ? 'active' : 'off'),
      cell: ({ active }) => <StatusBadge status={active ? 'ACTIVE' : 'OFF'} />,
    },
    { title: 'Invited by', text: ({ invitedBy }) => invitedBy?.email ?? '–' },
    {
      title: 'Since',
      text: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Day at={createdAt} />,
    },
    {
      title: 'Actions',
      text: () => '',
      cell: (one) =>
        one.id !== me.id && given.includes(one.role) && <OperatorActions {...{ one, onReset }} />,
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
  const { operator } = useAtWork().session;
  const invite = useAction<{ email: string; role: string }, Invitation>((body) => ({
    method: 'POST',
    path,
    body,
  }));
  return (
    <Form
      submit="Make invitation"
      onCancel={onCancel}
      onSubmit={async (values) => {
        const wish = { email: values.text('email'), role: values.text('role') };
        onInvited(await invite.mutateAsync(wish));
      }}
    >
      <TextField name="email" label="E-mail" type="email" autoComplete="off" autoFocus />
      <SelectField
        name="role"
        label="Role"
        defaultValue="VIEWER"
        choices={rolesToGive(operator.role).map((role) => [role, wordsText(role)])}
      />
    </Form>
  );
}
