import { useState } from 'react';
import { send } from '../../api/client';
import { Button, CopyText } from '../../parts/element/buttons';
import { ErrorNotice, Notice } from '../../parts/element/notices';
import { Form } from '../../parts/form/form';
import { CodeField } from './code-field';
import { QrCode } from './qr-code';

interface Secret {
  readonly secret: string;
  readonly uri: string;
}

const path = '/dashboard/api/second-factor';

/** Sets up a second factor in three steps; also works outside of the shell. */
export function SecondFactorSetup({ onDone }: { onDone: () => void }) {
  const [secret, setSecret] = useState<Secret>();
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes !== undefined) return <RecoveryCodes {...{ codes, onDone }} />;
  if (secret === undefined) return <Beginning onBegun={setSecret} />;
  return (
    <>
      <p>Scan this code with your authenticator app.</p>
      <QrCode text={secret.uri} label="QR code for your authenticator app" />
      <p>Or enter this key in the app:</p>
      <CopyText text={secret.secret} what="setup key" />
      <Form
        submit="Turn on"
        onSubmit={async (values) => {
          const body = { code: values.text('code') };
          const answer = await send({ method: 'POST', path: `${path}/confirm`, body });
          setCodes((answer as { recoveryCodes: readonly string[] }).recoveryCodes);
        }}
      >
        <CodeField hint="The six digits that the app shows." />
      </Form>
    </>
  );
}

function Beginning({ onBegun }: { onBegun: (secret: Secret) => void }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const begin = async () => {
    setBusy(true);
    try {
      onBegun((await send({ method: 'POST', path, body: {} })) as Secret);
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error('Something went wrong'));
      setBusy(false);
    }
  };
  return (
    <>
      <p>Protect your account with the codes of an authenticator app, in addition to a password.</p>
      {error !== undefined && !isBusy && <ErrorNotice error={error} />}
      <div className="actions">
        <Button tone="main" isBusy={isBusy} onClick={() => void begin()}>
          Set up
        </Button>
      </div>
    </>
  );
}

function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  return (
    <div className="recovery-codes">
      <Notice tone="good">
        <p>Second factor turned on. All your other sessions were signed out.</p>
      </Notice>
      <p>
        Keep these recovery codes in a safe place. Each replaces a code of the app once, for example
        if you lose your phone. You won’t see them again.
      </p>
      <CopyText text={codes.join('\n')} what="recovery codes" />
      <div className="actions">
        <Button tone="main" onClick={onDone}>
          I saved the codes
        </Button>
      </div>
    </div>
  );
}
