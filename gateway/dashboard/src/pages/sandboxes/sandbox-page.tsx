import { useState } from 'react';
import { Link } from 'wouter';
import { environmentName, refusalOf, useAtWork } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import type { Environment } from '../../api/resources';
import { Button } from '../../parts/buttons';
import { Form, TextField } from '../../parts/form';
import { EmptyState, PageLayout, Panel } from '../../parts/layout';
import { Answer, ErrorNotice, Notice, Progress } from '../../parts/notices';
import { instantText, pluralText, wordsText } from '../../parts/text';
import { fromTimeField, toTimeField } from '../../parts/time-field';
import { Day, Facts, Instant } from '../../parts/values';
import { afterStep, clockProgress, type ClockStep, clockSteps } from './clock-progress';

interface Clock {
  readonly clock: string;
  readonly now: string;
}

interface Advanced {
  readonly now: string;
  readonly processed: number;
}

// Often enough to see it move, seldom enough to leave the work its places.
const pollMs = 1_000;

/** One sandbox and its clock. */
export function SandboxPage({ id }: { id: string }) {
  const { session } = useAtWork();
  const sandbox = session.environments.find((one) => one.id === id && one.kind === 'SANDBOX');
  const back = { href: '/developers/sandboxes', label: 'Sandboxes' };
  if (sandbox === undefined) {
    return (
      <PageLayout title="Sandbox" back={back}>
        <EmptyState title="There is no such sandbox">Choose another from the list.</EmptyState>
      </PageLayout>
    );
  }
  return (
    <PageLayout
      title={environmentName(sandbox)}
      back={back}
      actions={
        <Link className="button quiet" href={`~/dashboard/${id}/developers/api-keys`}>
          Its API keys
        </Link>
      }
    >
      <Panel title="About">
        <Facts
          facts={[
            ['Clock', wordsText(sandbox.clock)],
            ['Made', <Day key="made" at={sandbox.createdAt} />],
            ['Id', <code key="id">{sandbox.id}</code>],
          ]}
        />
      </Panel>
      <Panel title="Clock">
        <ClockPanel sandbox={sandbox} />
      </Panel>
    </PageLayout>
  );
}

function ClockPanel({ sandbox }: { sandbox: Environment }) {
  const [target, setTarget] = useState<{ from: string; to: string }>();
  const advance = useAction<{ to: string }, Advanced>(({ to }) => ({
    method: 'POST',
    path: '/v1/sandboxes/clock/advance',
    environmentId: sandbox.id,
    body: { to },
  }));
  const isBusy = advance.isPending;
  const clock = useResource<Clock>('/v1/sandboxes/clock', {
    inEnvironment: sandbox.id,
    refetchMs: isBusy ? pollMs : undefined,
  });
  const run = (from: string, to: string) => {
    setTarget({ from, to });
    advance.mutate({ to });
  };
  return (
    <Answer of={clock} what="the clock">
      {({ now }) => (
        <>
          <p className="figure-value">
            <Instant at={now} />
          </p>
          {isBusy && target !== undefined && (
            <Progress
              label={`Advancing to ${instantText(target.to)}: all that falls due on the way is done at its own instant`}
              done={clockProgress(target, now)}
              total={1_000}
            />
          )}
          {advance.error !== null && <ErrorNotice error={advance.error} />}
          {advance.data !== undefined && (
            <Notice tone="good">
              <p>
                It is {instantText(advance.data.now)}. {doneText(advance.data.processed)}
              </p>
            </Notice>
          )}
          {sandbox.clock === 'MANUAL' ? (
            <Advance
              now={isBusy ? (target?.from ?? now) : now}
              onAdvance={(to) => run(now, to)}
              isBusy={isBusy}
            />
          ) : (
            <p className="faint">
              Its clock is real, and cannot be moved. Make a sandbox with a manual clock for that.
            </p>
          )}
        </>
      )}
    </Answer>
  );
}

function doneText(processed: number): string {
  if (processed === 0) return 'Nothing fell due on the way.';
  const were = processed === 1 ? 'was' : 'were';
  return `${pluralText(processed, 'thing')} fell due on the way and ${were} done.`;
}

function Advance({
  now,
  onAdvance,
  isBusy,
}: {
  now: string;
  onAdvance: (to: string) => void;
  isBusy: boolean;
}) {
  const { operator } = useAtWork().session;
  const refusal = refusalOf(operator.role, { isLive: false, segment: 'sandboxes' });
  const [step, setStep] = useState<ClockStep>('month');
  return (
    <>
      <div className="actions" role="group" aria-label="How far">
        {clockSteps.map((one) => (
          <Button
            key={one}
            aria-pressed={one === step}
            disabled={isBusy}
            onClick={() => setStep(one)}
          >
            {one === 'hour' ? 'An' : 'A'} {one}
          </Button>
        ))}
      </div>
      <Form
        key={`${now} ${step}`}
        submit="Advance the clock"
        refusal={refusal}
        onSubmit={(values) => {
          if (!isBusy) onAdvance(fromTimeField(values.optional('to')) ?? '');
          return Promise.resolve();
        }}
      >
        <TextField
          name="to"
          label="To"
          type="datetime-local"
          step={1}
          defaultValue={toTimeField(afterStep(now, step))}
          hint="In UTC. It never goes back."
        />
      </Form>
    </>
  );
}
