import { useState } from 'react';
import { send } from '../../api/client';
import { Form } from '../../parts/form/form';
import { EmailField } from './email-field';
import { SessionPage } from './session-page';

/** Asks for a link by email that sets a new password. */
export function ForgottenPasswordPage() {
  const [isAsked, setAsked] = useState(false);
  if (isAsked) {
    return (
      <SessionPage title="Check your email">
        <p>If an operator has this address, a link is on its way. It works once, within an hour.</p>
        <p>
          <a href="/dashboard">Back to sign in</a>
        </p>
      </SessionPage>
    );
  }
  return (
    <SessionPage title="Reset your password">
      <Form
        submit="Send link"
        onSubmit={async (values) => {
          const body = { email: values.text('email') };
          await send({ method: 'POST', path: '/dashboard/api/password-resets', body });
          setAsked(true);
        }}
      >
        <EmailField />
      </Form>
      <p>
        <a href="/dashboard">Back to sign in</a>
      </p>
    </SessionPage>
  );
}
