import { useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { send } from '../../api/client';
import { firstPath } from '../../api/environment-path';
import { useOpenAction, useSessionChange } from '../../api/queries';
import type { Session } from '../../api/session';
import { Form, TextField } from '../../parts/form/form';
import { NewPasswordField } from '../../parts/form/new-password-field';

import { Answer } from '../../parts/element/notices';
import { wordsText } from '../../parts/text/text';
import { ApiProblem } from '../../api/problem';
import { withWaitingTime } from './attempts';
import { SessionPage } from './session-page';

const acceptPath = '/dashboard/api/invitations/accept';

interface Invitation {
  readonly organization: { readonly name: string };
  readonly role: string;
  readonly email: string | null;
  /** The operator gets no password, and signs in with the identity provider. */
  readonly providerOnly: boolean;
}

/** Accepts an invitation by its single-use link. */
export function InvitationPage({ token }: { token: string }) {
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: async ({ signal }) =>
      (await send({
        method: 'POST',
        path: '/dashboard/api/invitations/look',
        body: { token },
        signal,
      })) as Invitation,
  });
  const { error } = invitation;
  if (error instanceof ApiProblem && error.details.status === 404) {
    return (
      <SessionPage title="This link has expired or was already used">
        {' '}
        <p>
          {' '}
          Ask the sender for a new link, or <a href="/dashboard">sign in</a>.{' '}
        </p>
      </SessionPage>
    );
  }
  return (
    <Answer of={invitation} what="the invitation">
      {(invited) => <Acceptance {...{ invited, token }} />}
    </Answer>
  );
}

/** Page after the acceptance. Without an answer, the usual first page finds out why. */
async function firstPlace({ role, providerOnly }: Invitation): Promise<string> {
  if (role !== 'OWNER' || providerOnly) return '/';
  try {
    const { environments } = (await send({ path: '/dashboard/api/session' })) as Session;
    return firstPath(environments);
  } catch {
    return '/';
  }
}

function Acceptance({ invited, token }: { invited: Invitation; token: string }) {
  const [, navigate] = useLocation();
  const accept = useOpenAction((body: object) => ({ method: 'POST', path: acceptPath, body }));
  const changed = useSessionChange();
  return (
    <SessionPage title={`Join ${invited.organization.name}`}>
      <p>
        You are invited to the billing dashboard as {wordsText(invited.role)}. This link works once.
      </p>
      {invited.providerOnly && (
        <p>Your organization uses its identity provider: sign in with it after you accept.</p>
      )}
      <Form
        submit={invited.providerOnly ? 'Accept' : 'Accept and sign in'}
        onSubmit={async (values) => {
          const body = {
            token,
            name: values.text('name'),
            email: values.text('email'),
            password: invited.providerOnly ? '' : values.text('password'),
          };
          await withWaitingTime(() => accept.mutateAsync(body));
          const place = await firstPlace(invited);
          await changed();
          navigate(place, { replace: true });
        }}
      >
        <TextField name="name" label="Name" autoComplete="name" />
        <TextField
          name="email"
          label="Email"
          type="email"
          autoComplete="username"
          defaultValue={invited.email ?? ''}
        />
        {!invited.providerOnly && <NewPasswordField name="password" label="Password" />}
      </Form>
    </SessionPage>
  );
}
