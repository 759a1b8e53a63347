import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../api/client';
import { ApiProblem } from '../../api/problem';
import { Form, TextField } from '../../parts/form';
import { EmptyState } from '../../parts/layout';
import { Answer } from '../../parts/notices';
import { Door } from './door';

/** Sets a new password by a link that works once. */
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
      <Door title="Your password is changed">
        <p>All your sessions have ended. Sign in with the new password.</p>
        <p>
          <a className="button" href="/dashboard">
            Sign in
          </a>
        </p>
      </Door>
    );
  }
  if (error instanceof ApiProblem && error.details.status === 404) {
    return (
      <Door title="This link is over">
        <EmptyState title="It was used, or it is older than an hour.">
          Ask an owner for another, or <a href="/dashboard">sign in</a>.
        </EmptyState>
      </Door>
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
  return (
    <Door title="New password">
      <p>The link works once. All your sessions end when you set the new password.</p>
      <Form
        submit="Set password"
        onSubmit={async (values) => {
          const body = { token, password: values.text('password') };
          await send({ method: 'POST', path: '/dashboard/api/reset-links/use', body });
          onDone();
        }}
      >
        <TextField
          name="email"
          label="E-mail"
          type="email"
          autoComplete="username"
          defaultValue={email}
          readOnly
        />
        <TextField
          name="password"
          label="New password"
          type="password"
          autoComplete="new-password"
          hint="At least 12 characters."
        />
      </Form>
    </Door>
  );
}
