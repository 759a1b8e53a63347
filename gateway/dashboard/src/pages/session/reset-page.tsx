import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../api/client';
import { useOpenAction } from '../../api/queries';
import { ApiProblem } from '../../api/problem';
import { Form, TextField } from '../../parts/form/form';
import { NewPasswordField } from '../../parts/form/new-password-field';

import { Answer } from '../../parts/element/notices';
import { SessionPage } from './session-page';

/** Sets a new password by a single-use link. */
export function ResetPage({ token }: { token: string }) {
  const [isDone, setDone] = useState(false);
  const link = useQuery({
    queryKey: ['reset-link', token],
    queryFn: async ({ signal }) =>
      (await send({
        method: 'POST',
        path: '/dashboard/api/reset-links/look',
        body: { token },
        signal,
      })) as { email: string },
    staleTime: Infinity,
  });
  const { error } = link;
  if (isDone) {
    return (
      <SessionPage title="Password changed">
        <p>All your sessions were signed out. Sign in with the new password.</p>
        <p>
          <a className="button" href="/dashboard">
            Sign in
          </a>
        </p>
      </SessionPage>
    );
  }
  if (error instanceof ApiProblem && error.details.status === 404) {
    return (
      <SessionPage title="This link has expired or was already used">
        {' '}
        <p>
          {' '}
          Reset links are valid for one hour. Ask for a new link, or{' '}
          <a href="/dashboard">sign in</a>.{' '}
        </p>
      </SessionPage>
    );
  }
  return (
    <Answer of={link} what="the link">
      {({ email }) => <NewPassword {...{ email, token }} onDone={() => setDone(true)} />}
    </Answer>
  );
}

function NewPassword({
  email,
  token,
  onDone,
}: {
  email: string;
  token: string;
  onDone: () => void;
}) {
  const use = useOpenAction((body: object) => ({
    method: 'POST',
    path: '/dashboard/api/reset-links/use',
    body,
  }));
  return (
    <SessionPage title="Set a new password">
      <p>This link works once. Setting a new password signs you out everywhere.</p>
      <Form
        submit="Set password"
        onSubmit={async (values) => {
          await use.mutateAsync({ token, password: values.text('password') });
          onDone();
        }}
      >
        <TextField
          name="email"
          label="Email"
          type="email"
          autoComplete="username"
          defaultValue={email}
          readOnly
        />
        <NewPasswordField name="password" label="New password" />
      </Form>
    </SessionPage>
  );
}
