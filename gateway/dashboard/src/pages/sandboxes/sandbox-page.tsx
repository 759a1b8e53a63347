import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { environmentName, refusalOf, useWorkspace } from '../../api/environment';
import { ApiProblem } from '../../api/problem';
import {
  useAction,
  useComputation,
  useEnvironmentById,
  useResource,
  useSessionChange,
} from '../../api/queries';
import type { Environment } from '../../api/session';
import { Button } from '../../parts/element/buttons';
import { ConfirmButton, DialogButton } from '../../parts/overlay/dialog';
import { Form, TextField } from '../../parts/form/form';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { Answer, ErrorNotice, Notice, Progress } from '../../parts/element/notices';
import { labelText } from '../../parts/text/text';
import { utcText } from '../../parts/text/time-text';
import { fromTimeField, toTimeField } from '../../parts/text/time-field';
import { ClockTime, Day, Facts, ShortId } from '../../parts/element/values';
import { AuditLink } from '../../resources/audit/audit-link';
import { type Advanced, AdvancedNotice, type AdvanceStart } from './advanced-notice';
import { afterStep, clockProgress, type ClockStep, clockSteps } from './clock-progress';

interface Clock {
  readonly clock: string;
  readonly now: string;
}

// Often enough to show progress, rarely enough to leave capacity for the advance.
const pollMs = 1_000;
// The advance does not wait longer for the feed of events.
const feedMsMax = 2_000;

/** Page of one sandbox and its clock. */
export function SandboxPage({ id }: { id: string }) {
  const { session } = useWorkspace();
  const found = useEnvironmentById(id);
  const refusal = refusalOf(session.operator.role, { isLive: true, segment: 'sandboxes' });
  const back = { href: '/developers/sandboxes', label: 'Sandboxes' };
  const sandbox = found.data?.kind === 'SANDBOX' ? found.data : undefined;
  if (sandbox === undefined) {
    const isAbsent = found.error instanceof ApiProblem && found.error.isNotFound;
    return (
      <PageLayout title="Sandbox" back={back}>
        <Answer of={isAbsent ? absent : found} what="the sandbox">
          {() => <EmptyState title="Sandbox not found">Choose one from the list.</EmptyState>}
        </Answer>
      </PageLayout>
    );
  }
  return (
    <PageLayout
      title={environmentName(sandbox)}
      back={back}
      actions={
        <>
          <Link className="button quiet" href={`~/dashboard/${id}/developers/api-keys`}>
            API keys
          </Link>
          <DialogButton label="Rename" tone="quiet" refusal={refusal}>
            {(close) => <RenameForm sandbox={sandbox} onDone={close} />}
          </DialogButton>
          <DeleteButton sandbox={sandbox} refusal={refusal} />
        </>
      }
    >
      {sandbox.deletesAt !== null && <DeletionNotice deletesAt={sandbox.deletesAt} />}
      <Panel title="Details" actions={<AuditLink id={sandbox.id} />}>
        <Facts
          facts={[
            ['Clock', labelText(sandbox.clock)],
            ['Created', <Day key="created" at={sandbox.createdAt} />],
            ['ID', <ShortId key="id" id={sandbox.id} what="ID" />],
          ]}
        />
      </Panel>
      <Panel title="Clock">
        <ClockPanel sandbox={sandbox} />
      </Panel>
    </PageLayout>
  );
}

/** Replaces the error 404. */
const absent = { data: null, error: null, refetch: () => undefined };

function DeletionNotice({ deletesAt }: { deletesAt: string }) {
  return (
    <Notice tone="wait">
      <p>
        This sandbox has not been used for 90 days. It will be deleted with all its data on{' '}
        <Day at={deletesAt} />. To keep it, send a request with one of its keys or advance its
        clock.
      </p>
    </Notice>
  );
}

function RenameForm({ sandbox, onDone }: { sandbox: Environment; onDone: () => void }) {
  const { session } = useWorkspace();
  const rename = useAction<{ name: string }>(
    ({ name }) => ({
      method: 'PATCH',
      path: `/v1/sandboxes/${sandbox.id}`,
      environmentId: session.environments.find(({ kind }) => kind === 'LIVE')?.id,
      body: { name },
    }),
    'Sandbox renamed',
  );
  return (
    <Form
      submit="Rename"
      onCancel={onDone}
      onSubmit={async (values) => {
        await rename.mutateAsync({ name: values.text('name') });
        onDone();
      }}
    >
      <TextField
        name="name"
        label="Name"
        defaultValue={sandbox.name ?? ''}
        autoComplete="off"
        maxLength={200}
        autoFocus
      />
    </Form>
  );
}

function DeleteButton({ sandbox, refusal }: { sandbox: Environment; refusal: string | undefined }) {
  const { session } = useWorkspace();
  const [, navigate] = useLocation();
  const refreshSession = useSessionChange();
  const remove = useAction(
    () => ({
      method: 'DELETE',
      path: `/v1/sandboxes/${sandbox.id}`,
      environmentId: session.environments.find(({ kind }) => kind === 'LIVE')?.id,
    }),
    'Sandbox deleted',
  );
  return (
    <ConfirmButton
      label="Delete"
      title={`Delete ${environmentName(sandbox)}?`}
      confirm="Delete"
      tone="danger"
      refusal={refusal}
      onConfirm={async () => {
        await remove.mutateAsync({});
        navigate('~/dashboard/live/developers/sandboxes');
        await refreshSession();
      }}
    >
      Its keys, pages and webhooks stop working immediately. All its data is deleted. This can’t be
      undone.
    </ConfirmButton>
  );
}

/**
 * Clock advance that first reads the end of the feed of events. It is sent even if the feed cannot
 * be read in time, and if the page is left before.
 */
function useAdvance(sandbox: Environment) {
  const [start, setStart] = useState<AdvanceStart>();
  const [isBusy, setBusy] = useState(false);
  const advance = useAction<{ to: string }, Advanced>(({ to }) => ({
    method: 'POST',
    path: '/v1/sandboxes/clock/advance',
    environmentId: sandbox.id,
    body: { to },
  }));
  const feed = useComputation<object, { readonly newest: string }>(() => ({
    method: 'GET',
    path: '/v1/webhook-events',
    query: { limit: 1 },
    environmentId: sandbox.id,
    signal: AbortSignal.timeout(feedMsMax),
  }));
  const run = async (from: string, to: string) => {
    setBusy(true);
    const found = await feed.mutateAsync({}).catch(() => undefined);
    setStart({ from, ...(found !== undefined && { after: found.newest }) });
    // The page shows the error.
    await advance.mutateAsync({ to }).catch(() => undefined);
    setBusy(false);
  };
  return { advance, start, run, isBusy };
}

function ClockPanel({ sandbox }: { sandbox: Environment }) {
  const [target, setTarget] = useState<{ from: string; to: string }>();
  const stop = useAction(() => ({
    method: 'DELETE',
    path: '/v1/sandboxes/clock/advance',
    environmentId: sandbox.id,
  }));
  const { advance, start, run: runAdvance, isBusy } = useAdvance(sandbox);
  const clock = useResource<Clock>('/v1/sandboxes/clock', {
    inEnvironment: sandbox.id,
    refetchMs: isBusy ? pollMs : undefined,
  });
  const run = (from: string, to: string) => {
    setTarget({ from, to });
    stop.reset();
    void runAdvance(from, to);
  };
  return (
    <Answer of={clock} what="the clock">
      {({ now }) => (
        <>
          <p className="figure-value">
            <ClockTime at={now} />
          </p>
          {isBusy && target !== undefined && (
            <Progress
              label={`Advancing to ${utcText(target.to)}`}
              done={clockProgress(target, now)}
              total={1_000}
            />
          )}
          {stop.error !== null && <ErrorNotice error={stop.error} />}
          {advance.error !== null && <ErrorNotice error={advance.error} />}
          {advance.data !== undefined && start !== undefined && (
            <AdvancedNotice advanced={advance.data} start={start} sandbox={sandbox} />
          )}
          {sandbox.clock === 'MANUAL' ? (
            <>
              {/* Also stops an advance that another page or program started. */}
              <StopButton isBusy={stop.isPending} onStop={() => stop.mutate({})} />
              <Advance
                now={isBusy ? (target?.from ?? now) : now}
                onAdvance={(to) => run(now, to)}
                isBusy={isBusy}
              />
            </>
          ) : (
            <p className="faint">
              This sandbox runs in real time. To advance time, create a sandbox with a manual clock.
            </p>
          )}
        </>
      )}
    </Answer>
  );
}

function StopButton({ isBusy, onStop }: { isBusy: boolean; onStop: () => void }) {
  const { operator } = useWorkspace().session;
  const refusal = refusalOf(operator.role, { isLive: false, segment: 'sandboxes' });
  return (
    <div className="actions">
      <Button isBusy={isBusy} refusal={refusal} onClick={onStop}>
        Stop advance
      </Button>
    </div>
  );
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
  const { operator } = useWorkspace().session;
  const refusal = refusalOf(operator.role, { isLive: false, segment: 'sandboxes' });
  const [step, setStep] = useState<ClockStep>('month');
  return (
    <>
      <div className="actions" role="group" aria-label="Step">
        {clockSteps.map((one) => (
          <Button
            key={one}
            aria-pressed={one === step}
            disabled={isBusy}
            onClick={() => setStep(one)}
          >
            1 {one}
          </Button>
        ))}
      </div>
      <Form
        key={`${now} ${step}`}
        submit="Advance clock"
        refusal={refusal ?? (isBusy ? 'The clock is advancing.' : undefined)}
        onSubmit={(values) => {
          if (!isBusy) onAdvance(fromTimeField(values.optional('to')) ?? '');
          return Promise.resolve();
        }}
      >
        <TextField
          name="to"
          label="Advance to (UTC)"
          type="datetime-local"
          step={1}
          defaultValue={toTimeField(afterStep(now, step))}
          hint="You can only move forward."
        />
      </Form>
    </>
  );
}
