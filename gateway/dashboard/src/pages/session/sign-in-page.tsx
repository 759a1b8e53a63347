import { send } from '../../api/client';
import { useSessionChange } from '../../api/queries';
import { Form, TextField } from '../../parts/form';
import { waitingSaid } from './attempts';
import { Door } from './door';
import { ProviderLink } from './provider-link';

/** The ways in: by e-mail and password, and by the organisation's identity provider. */
export function SignInPage() {
  const changed = useSessionChange();
  return (
    <Door title="Sign in">
      <Form
        submit="Sign in"
        onSubmit={async (values) => {
          const body = { email: values.text('email'), password: values.text('password') };
          const path = '/dashboard/api/session';
          await waitingSaid(() => send({ method: 'POST', path, body }));
          await changed();
        }}
      >
        <TextField
          name="email"
          label="E-mail"
          type="email"
          autoComplete="username"
          inputMode="email"
        />
        <TextField
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
        />
      </Form>
      <ProviderLink />
    </Door>
  );
}
