import { useState } from 'react';
import { useWorkspace } from '../../api/environment';
import { useAction } from '../../api/queries';
import { Panel } from '../../parts/element/layout';
import { Day, Facts } from '../../parts/element/values';
import { Form, TextField } from '../../parts/form/form';
import { DialogButton } from '../../parts/overlay/dialog';
import { labelText } from '../../parts/text/text';
import { CodeField } from '../../resources/second-factor/code-field';

const path = '/dashboard/api/operators/me';

/** Profile of the signed-in operator, who may change their name and email address. */
export function ProfilePanel() {
  const { operator, organization } = useWorkspace().session;
  return (
    <Panel
      title="Profile"
      actions={
        <>
          <DialogButton label="Change name" tone="quiet">
            {(close) => <NameForm onDone={close} />}
          </DialogButton>
          <DialogButton
            label="Change email"
            tone="quiet"
            refusal={operator.emailFromProvider ? providerRefusal : undefined}
          >
            {(close) => <EmailForm onDone={close} />}
          </DialogButton>
        </>
      }
    >
      <Facts
        facts={[
          ['Name', operator.name],
          ['Email', operator.email],
          ['Role', labelText(operator.role)],
          ['Organization', organization.name],
          ['Member since', <Day key="since" at={operator.createdAt} />],
        ]}
      />
    </Panel>
  );
}

const providerRefusal = 'Your email address comes from the identity provider.';

function NameForm({ onDone }: { onDone: () => void }) {
  const { name } = useWorkspace().session.operator;
  const change = useAction((body: object) => ({ method: 'PATCH', path, body }), 'Name changed');
  return (
    <Form
      submit="Change name"
      onCancel={onDone}
      onSubmit={async (values) => {
        await change.mutateAsync({ name: values.text('name') });
        onDone();
      }}
    >
      <TextField name="name" label="Name" autoComplete="name" defaultValue={name} />
    </Form>
  );
}

interface CodeMailed {
  readonly codeMailedTo: string;
}

function EmailForm({ onDone }: { onDone: () => void }) {
  const { secondFactor } = useWorkspace().session.operator;
  // Address that the code was mailed to.
  const [mailedTo, setMailedTo] = useState<string>();
  const change = useAction<object, object | CodeMailed>(
    (body) => ({ method: 'PUT', path: `${path}/email`, body }),
    (answer) =>
      'codeMailedTo' in answer
        ? undefined
        : { text: 'Email changed. All your other sessions were signed out' },
  );
  return (
    <Form
      submit="Change email"
      onCancel={onDone}
      onSubmit={async (values) => {
        const answer = await change.mutateAsync({
          email: values.text('email'),
          password: values.text('password'),
          ...(secondFactor !== null && { code: values.optional('code') }),
          ...(mailedTo === values.text('email') && { emailCode: values.optional('emailCode') }),
        });
        if ('codeMailedTo' in answer) setMailedTo(values.text('email'));
        else onDone();
      }}
    >
      <TextField
        name="email"
        label="New email"
        type="email"
        autoComplete="email"
        hint="You will sign in with this address."
      />
      <TextField name="password" label="Password" type="password" autoComplete="current-password" />
      {secondFactor !== null && (
        <CodeField hint="The six digits of your app, or a recovery code." isFirst={false} />
      )}
      {mailedTo !== undefined && (
        <TextField
          name="emailCode"
          label="Code from the email"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          hint={`It was mailed to ${mailedTo}.`}
        />
      )}
    </Form>
  );
}
