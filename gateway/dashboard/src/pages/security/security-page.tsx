import { useState } from 'react';
import { useWorkspace } from '../../api/environment';
import { useAction, useSessionChange } from '../../api/queries';
import { PageLayout, Panel } from '../../parts/element/layout';
import { Instant } from '../../parts/element/values';
import { ChoicesField } from '../../parts/form/choices-field';
import { Form, TextField } from '../../parts/form/form';
import { DialogButton } from '../../parts/overlay/dialog';
import { pluralText } from '../../parts/text/text';
import { CodeField } from '../../resources/second-factor/code-field';
import { SecondFactorSetup } from '../../resources/second-factor/second-factor-setup';

/** Second factor of the signed-in operator, and the sign-in rules of the organization. */
export function SecurityPage() {
  return (
    <PageLayout title="Security">
      <Panel title="Your second factor">
        <SecondFactor />
      </Panel>
      <Panel title="Sign-in rules">
        <SignInRules />
      </Panel>
    </PageLayout>
  );
}

function SecondFactor() {
  const { secondFactor } = useWorkspace().session.operator;
  const changed = useSessionChange();
  // The recovery codes stay on screen until they are saved, although the session has changed.
  const [isSettingUp, setSettingUp] = useState(secondFactor === null);
  if (isSettingUp || secondFactor === null) {
    const done = () => {
      setSettingUp(false);
      void changed();
    };
    return <SecondFactorSetup onDone={done} />;
  }
  const { confirmedAt, recoveryCodesLeft } = secondFactor;
  return (
    <>
      <p>
        On since <Instant at={confirmedAt} />. {pluralText(recoveryCodesLeft, 'recovery code')}{' '}
        left.
      </p>
      <p className="faint">For a new phone or new recovery codes, turn it off and on again.</p>
      <RemoveButton
        onRemoved={() => {
          setSettingUp(true);
        }}
      />
    </>
  );
}

function RemoveButton({ onRemoved }: { onRemoved: () => void }) {
  const remove = useAction(
    (body: { password: string; code: string }) => ({
      method: 'POST',
      path: '/dashboard/api/second-factor/remove',
      body,
    }),
    'Second factor turned off',
  );
  return (
    <DialogButton label="Turn off" title="Turn off your second factor?" tone="quiet">
      {(close) => (
        <Form
          submit="Turn off"
          tone="danger"
          onCancel={close}
          onSubmit={async (values) => {
            const password = values.text('password');
            await remove.mutateAsync({ password, code: values.text('code') });
            close();
            onRemoved();
          }}
        >
          <TextField
            name="password"
            label="Password"
            type="password"
            autoComplete="current-password"
            hint="Leave it empty if you have none."
          />
          <CodeField hint="The six digits of your app, or a recovery code." />
        </Form>
      )}
    </DialogButton>
  );
}

const rules: Readonly<Record<string, string>> = {
  requireSecondFactor: 'Require a second factor for sign-in with a password',
  providerOnly: 'Allow sign-in with the identity provider only',
};

function SignInRules() {
  const { operator, organization } = useWorkspace().session;
  const save = useAction(
    (body: object) => ({ method: 'PATCH', path: '/dashboard/api/organization', body }),
    'Sign-in rules saved',
  );
  const { requireSecondFactor, providerOnly } = organization;
  const set = { requireSecondFactor, providerOnly };
  const marked = Object.entries(set).flatMap(([rule, isSet]) => (isSet ? [rule] : []));
  return (
    <Form
      submit="Save"
      refusal={operator.role === 'OWNER' ? undefined : 'Requires the owner role.'}
      onSubmit={(values) => {
        const chosen = values.all('rules');
        const body = Object.keys(rules).map((rule) => [rule, chosen.includes(rule)] as const);
        return save.mutateAsync(Object.fromEntries(body));
      }}
    >
      <ChoicesField
        name="rules"
        label="For all operators"
        hint="Operators without a second factor must set one up before they continue. Sign-in with the identity provider needs none."
        choices={Object.keys(rules)}
        labelOf={(rule) => rules[rule] ?? rule}
        marked={marked}
      />
    </Form>
  );
}
