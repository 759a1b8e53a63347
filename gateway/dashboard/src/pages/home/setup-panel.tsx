import { Circle, CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Today } from '@billing/gateway/operator/today-routes';
import type { ApiRequest } from '../../api/client';
import { useRefusal, useWorkspace } from '../../api/environment';
import { environmentPath } from '../../api/environment-path';
import { useAction } from '../../api/queries';
import { successes } from '../../api/successes';
import { Button, CopyText } from '../../parts/element/buttons';
import { Panel } from '../../parts/element/layout';
import { ErrorNotice } from '../../parts/element/notices';
import { firstCall } from './overview';
import { dismiss, isDismissed } from './dismissed-setup';
import { createSampleData } from './sample-data';

interface Step {
  readonly text: string;
  readonly isDone: boolean;
  readonly href: string;
  readonly action: string;
}

/** Checklist of the first setup; hidden once all steps are done. */
export function SetupPanel({
  setup,
  firstCallMade,
}: {
  setup: Today['setup'];
  firstCallMade: boolean;
}) {
  const { environment } = useWorkspace();
  const isSandbox = environment.kind === 'SANDBOX';
  const steps = stepsOf(setup, { firstCallMade, isSandbox });
  const [isHidden, setHidden] = useState(() => isDismissed(environment.id));
  if (isHidden || steps.every(({ isDone }) => isDone)) return null;
  const isEmpty = !setup.hasProduct && !setup.hasPayment;
  return (
    <Panel
      title="Set up billing"
      actions={
        <>
          {isSandbox && isEmpty && <SampleDataButton />}
          <Button
            onClick={() => {
              dismiss(environment.id);
              setHidden(true);
            }}
          >
            Dismiss
          </Button>
        </>
      }
    >
      {!isSandbox && isEmpty && <StartInSandbox />}
      <ol className="todos" aria-label="Set up billing">
        {steps.map(({ text, isDone, href, action }) => (
          <li key={text} className={isDone ? 'done' : 'open'}>
            <span className="step">
              {isDone ? <CircleCheck aria-hidden="true" /> : <Circle aria-hidden="true" />}
              {text}
              {isDone && <span className="unseen"> (done)</span>}
            </span>
            {!isDone && (
              <Link className="button" href={href}>
                {action}
              </Link>
            )}
          </li>
        ))}
      </ol>
      {!firstCallMade && isSandbox && (
        <details>
          <summary>Your first API call</summary>
          <CopyText text={firstCall(window.location.origin)} what="first call" />
        </details>
      )}
    </Panel>
  );
}

function stepsOf(
  { hasProduct, hasLink, hasEndpoint, hasPayment }: Today['setup'],
  { firstCallMade, isSandbox }: { readonly firstCallMade: boolean; readonly isSandbox: boolean },
): readonly Step[] {
  return [
    {
      text: 'Create a product',
      isDone: hasProduct,
      href: '/products?open=New+product&from=setup',
      action: 'Create product',
    },
    {
      text: 'Share a checkout link, or make your first API call',
      isDone: hasLink || firstCallMade,
      href: hasProduct
        ? '/checkout?open=New+link&from=setup'
        : '/developers/api-keys?open=New+key&from=setup',
      action: hasProduct ? 'Create link' : 'Create API key',
    },
    {
      text: 'Receive webhooks',
      isDone: hasEndpoint,
      href: '/developers/webhooks?open=New+endpoint&from=setup',
      action: 'Add endpoint',
    },
    {
      text: isSandbox ? 'Make a test payment' : 'Receive your first payment',
      isDone: hasPayment,
      href: '/checkout?from=setup',
      action: hasLink ? 'Open links' : 'Open checkout',
    },
  ];
}

/** In the live environment of a new organization: everything can be tried without charges first. */
function StartInSandbox() {
  const { session } = useWorkspace();
  const sandbox = session.environments.find(({ kind }) => kind === 'SANDBOX');
  return (
    <div className="notice good">
      <p>
        <strong>Start in a sandbox.</strong> It works like this live environment, with test cards.
        No card is charged.
      </p>
      {sandbox === undefined ? (
        <Link className="button main" href="/developers/sandboxes?open=New+sandbox">
          Create sandbox
        </Link>
      ) : (
        <Link className="button main" href={`~/dashboard${environmentPath(sandbox)}`}>
          {sandbox.name === null ? 'Open sandbox' : `Open sandbox ${sandbox.name}`}
        </Link>
      )}
    </div>
  );
}

function SampleDataButton() {
  const { environment } = useWorkspace();
  const refusal = useRefusal('products');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Error>();
  const create = useAction<ApiRequest, { readonly id: string }>((request) => request);
  const run = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await createSampleData((request) => create.mutateAsync(request));
      const href = `${environmentPath(environment)}/customers`;
      successes.add({ title: 'Sample data created', data: { href } });
    } catch (error) {
      setProblem(error instanceof Error ? error : new Error('The sample data failed'));
    }
    setBusy(false);
  };
  return (
    <>
      <Button isBusy={isBusy} refusal={refusal} onClick={() => void run()}>
        Create sample data
      </Button>
      {problem !== undefined && <ErrorNotice error={problem} onRetry={() => void run()} />}
    </>
  );
}
