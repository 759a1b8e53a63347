import { useState } from 'react';
import { useAtWork } from '../../api/environment';
import { useAction } from '../../api/queries';
import { Form, TextField } from '../../parts/form';
import { PageLayout, Panel } from '../../parts/layout';
import { Notice } from '../../parts/notices';
import { wordsText } from '../../parts/text';
import { Day, Facts } from '../../parts/values';
import { SessionTable } from './session-table';

/** Who one is, one's password, and where one is signed in. */
export function AccountPage() {
  const { operator, organization } = useAtWork().session;
  return (
    <PageLayout title="Your account">
      <Panel title="You">
        <Facts
          facts={[
            ['Name', operator.name],
            ['E-mail', operator.email],
            ['Role', wordsText(operator.role)],
            ['Organisation', organization.name],
            ['Since', <Day key="since" at={operator.createdAt} />],
          ]}
        />
      </Panel>
      <Panel title="Password">
        <PasswordForm />
      </Panel>
      <Panel title="Sessions">
        <SessionTable />
      </Panel>
    </PageLayout>
  );
}

function PasswordForm() {
  const [changes, setChanges] = useState(0);
  const change = useAction((body: { currentPassword: string; newPassword: string }) => ({
    method: 'PUT',
    path: '/dashboard/api/password',
    body,
  }));
  return (
    <>
      {changes > 0 && (
        <Notice tone="good">
          <p>Your password is changed. Every other session of yours has ended.</p>
        </Notice>
      )}
      <Form
        key={changes}
        submit="Change password"
        onSubmit={async (values) => {
          const currentPassword = values.text('currentPassword');
          await change.mutateAsync({ currentPassword, newPassword: values.text('newPassword') });
          setChanges(changes + 1);
        }}
      >
        <TextField
          name="currentPassword"
          label="Current password"
          type="password"
          autoComplete="current-password"
        />
        <TextField
          name="newPassword"
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="At least 12 characters."
        />
      </Form>
    </>
  );
}
