import { useState } from 'react';
import { send } from '../../api/client';
import { ApiProblem } from '../../api/problem';
import { useSessionChange } from '../../api/queries';
import { Form, TextField } from '../../parts/form/form';
import { CodeField } from '../../resources/second-factor/code-field';
import { withWaitingTime } from './attempts';
import { EmailField } from './email-field';
import { SessionPage } from './session-page';
import { ProviderLink } from './provider-link';
import { useSignInWays } from './sign-in-ways';

interface Credentials {
  readonly email: string;
  readonly password: string;
}

function signIn(body: Credentials & { readonly code?: string }): Promise<void> {
  const path = '/dashboard/api/session';
  return withWaitingTime(() => send({ method: 'POST', path, body }));
}

/** Sign-in by email and password, or with the organization's identity provider. */
export function SignInPage() {
  const [accepted, setAccepted] = useState<Credentials>();
  const changed = useSessionChange();
  if (accepted !== undefined) {
    return (
      <CodeStep
        credentials={accepted}
        onBack={() => {
          setAccepted(undefined);
        }}
      />
    );
  }
  const enter = async (credentials: Credentials) => {
    try {
      await signIn(credentials);
    } catch (error) {
      if (!isCodeMissing(error)) throw error;
      setAccepted(credentials);
      return;
    }
    await changed();
  };
  return <PasswordStep onEnter={enter} />;
}

function isCodeMissing(error: unknown): boolean {
  return error instanceof ApiProblem && error.details.code === 'second_factor_required';
}

function PasswordStep({ onEnter }: { onEnter: (credentials: Credentials) => Promise<void> }) {
  const ways = useSignInWays();
  return (
    <SessionPage title="Sign in">
      <Form
        submit="Sign in"
        onSubmit={(values) =>
          onEnter({ email: values.text('email'), password: values.text('password') })
        }
      >
        <EmailField />
        <TextField
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
        />
      </Form>
      {ways?.passwordReset === true && (
        <p>
          <a href="/dashboard/forgotten-password">Forgot your password?</a>
        </p>
      )}
      <ProviderLink />
    </SessionPage>
  );
}

/** Code of the second factor, after the password was accepted. */
function CodeStep({ credentials, onBack }: { credentials: Credentials; onBack: () => void }) {
  const changed = useSessionChange();
  return (
    <SessionPage title="Enter your code">
      <Form
        submit="Sign in"
        dismiss="Back"
        onCancel={onBack}
        onSubmit={async (values) => {
          await signIn({ ...credentials, code: values.text('code') });
          await changed();
        }}
      >
        <CodeField hint="The six digits of your authenticator app, or a recovery code." />
      </Form>
    </SessionPage>
  );
}
