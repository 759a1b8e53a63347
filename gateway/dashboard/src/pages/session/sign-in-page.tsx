import { send } from '../../api/client';
import { useSessionChange } from '../../api/queries';
import { Form, TextField } from '../../parts/form/form';
import { withWaitingTime } from './attempts';
import { EmailField } from './email-field';
import { SessionPage } from './session-page';
import { ProviderLink } from './provider-link';
import { useSignInWays } from './sign-in-ways';

/** Sign-in by email and password, or with the organization's identity provider. */
export function SignInPage() {
  const changed = useSessionChange();
  const ways = useSignInWays();
  return (
    <SessionPage title="Sign in">
      <Form
        submit="Sign in"
        onSubmit={async (values) => {
          const body = { email: values.text('email'), password: values.text('password') };
          const path = '/dashboard/api/session';
          await withWaitingTime(() => send({ method: 'POST', path, body }));
          await changed();
        }}
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
