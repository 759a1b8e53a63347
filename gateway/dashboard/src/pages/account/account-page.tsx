import { useState } from 'react';
import { useAction } from '../../api/queries';
import { Form, TextField } from '../../parts/form/form';
import { NewPasswordField } from '../../parts/form/new-password-field';
import { PageLayout, Panel } from '../../parts/element/layout';
import { Notice } from '../../parts/element/notices';
import { ProfilePanel } from './profile-panel';
import { SessionTable } from './session-table';

/** Profile, password and sessions of the signed-in operator. */
export function AccountPage() {
  return (
    <PageLayout title="Your account">
      <ProfilePanel />
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
          <p>Password changed. All your other sessions were signed out.</p>
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
        <NewPasswordField name="newPassword" label="New password" />
      </Form>
    </>
  );
}
