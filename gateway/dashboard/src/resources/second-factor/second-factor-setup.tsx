import { useState } from 'react';
import { ApiProblem } from '../../api/problem';
import { useOpenAction } from '../../api/queries';
import { Button, CopyText } from '../../parts/element/buttons';
import { ErrorNotice, Notice, RetryNotice } from '../../parts/element/notices';
import { Form } from '../../parts/form/form';
import { CodeField } from './code-field';
import { QrCode } from './qr-code';

interface Secret {
  readonly secret: string;
  readonly uri: string;
}

interface Confirmed {
  readonly recoveryCodes: readonly string[];
}

const path = '/dashboard/api/second-factor';

/** Sets up a second factor in three steps; also works outside of the shell. */
export function SecondFactorSetup({ onDone }: { onDone: () => void }) {
  const [secret, setSecret] = useState<Secret>();
  const [codes, setCodes] = useState<readonly string[]>();
  const confirm = useOpenAction<object, Confirmed>((body) => ({
    method: 'POST',
    path: `${path}/confirm`,
    body,
  }));
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
          const code = values.text('code');
          const { recoveryCodes } = await orAdvice(confirm.mutateAsync({ code }));
          setCodes(recoveryCodes);
        }}
      >
        <CodeField hint="The six digits that the app shows." />
      </Form>
    </>
  );
}

/**
 * Explains the refusal of a code after the factor was turned on: an earlier attempt has done so,
 * and its answer was lost for longer than the code was valid.
 */
async function orAdvice(confirmed: Promise<Confirmed>): Promise<Confirmed> {
  try {
    return await confirmed;
  } catch (error) {
    if (!(error instanceof ApiProblem) || !error.isNotFound) throw error;
    const text =
      'Your second factor may be on already. Reload the page: if it is on, turn it off and on again to get recovery codes';
    throw new ApiProblem(text, error.details);
  }
}

function Beginning({ onBegun }: { onBegun: (secret: Secret) => void }) {
  const begin = useOpenAction<object, Secret>((body) => ({ method: 'POST', path, body }));
  const { error, isPending: isBusy } = begin;
  return (
    <>
      <p>Protect your account with the codes of an authenticator app, in addition to a password.</p>
      {error !== null && <ErrorNotice error={error} />}
      {isBusy && <RetryNotice />}
      <div className="actions">
        <Button
          tone="main"
          isBusy={isBusy}
          onClick={() => begin.mutate({}, { onSuccess: onBegun })}
        >
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
