import { useState } from 'react';
import { useLocation } from 'wouter';
import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { Button } from '../../parts/buttons';
import { ConfirmButton, DialogButton } from '../../parts/dialog';
import { PageLayout, Panel } from '../../parts/layout';
import { Answer, ErrorNotice, Notice } from '../../parts/notices';
import { Strip } from '../../parts/strip';
import { Day, Facts, StatusBadge } from '../../parts/values';
import { DeliveryTable } from './delivery-table';
import { EndpointForm } from './endpoint-form';
import { healthOf, healthText } from './endpoint-health';
import { GapList, ReplayButton } from './gaps';
import { ToldSecret } from './told-secret';
import type { EndpointReport, ToldEndpoint, WebhookEndpoint } from './webhook-resources';

/** One endpoint: how it does, what it was sent, and what it has not got. */
export function EndpointPage({ id }: { id: string }) {
  const endpoint = useResource<WebhookEndpoint>(`/v1/webhook-endpoints/${id}`);
  return (
    <PageLayout
      title="Webhook endpoint"
      back={{ href: '/developers/webhooks', label: 'Webhooks' }}
      lead={endpoint.data?.url}
    >
      <Answer of={endpoint} what="the endpoint">
        {(found) => (
          <>
            <About endpoint={found} />
            <Panel title="Not arrived" actions={<ReplayButton endpoint={found} />}>
              <GapList endpointId={id} />
            </Panel>
            <Panel title="Deliveries">
              <DeliveryTable endpoint={found} />
            </Panel>
          </>
        )}
      </Answer>
    </PageLayout>
  );
}

function About({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { id, url, active, events, description, createdAt } = endpoint;
  const { data } = useResource<{ data: readonly EndpointReport[] }>(
    '/dashboard/api/reports/webhooks',
  );
  const days = healthOf(data?.data ?? [], id);
  const [rotated, setRotated] = useState<string>();
  return (
    <>
      {rotated !== undefined && (
        <ToldSecret {...{ url }} secret={rotated} onDone={() => setRotated(undefined)} />
      )}
      <Panel title="About" actions={<Actions {...{ endpoint }} onRotated={setRotated} />}>
        <Facts
          facts={[
            ['State', <StatusBadge key="state" status={active ? 'ACTIVE' : 'OFF'} />],
            ['Description', description ?? '–'],
            ['Kinds', events.join(', ')],
            ['Added', <Day key="added" at={createdAt} />],
            [
              'Last 30 days',
              <div key="days">
                <Strip caption={`Webhooks to ${url}`} days={days} />
                <div className="faint">{healthText(days)}</div>
              </div>,
            ],
          ]}
        />
      </Panel>
    </>
  );
}

function Actions({
  endpoint,
  onRotated,
}: {
  endpoint: WebhookEndpoint;
  onRotated: (secret: string) => void;
}) {
  const path = `/v1/webhook-endpoints/${endpoint.id}`;
  const refusal = useRefusal('webhook-endpoints');
  const [, navigate] = useLocation();
  const change = useAction(({ body }: { body: object }) => ({ method: 'PATCH', path, body }));
  const remove = useAction(() => ({ method: 'DELETE', path }));
  const rotate = useAction<object, ToldEndpoint>(() => ({
    method: 'POST',
    path: `${path}/rotate-secret`,
    body: {},
  }));
  if (refusal !== undefined) return <span className="faint">{refusal}</span>;
  return (
    <>
      <TestButton endpoint={endpoint} />
      <DialogButton label="Change" title="Change endpoint" tone="quiet">
        {(close) => (
          <EndpointForm
            {...{ endpoint }}
            submit="Save"
            onCancel={close}
            onSubmit={async (wish) => {
              await change.mutateAsync({ body: wish });
              close();
            }}
          />
        )}
      </DialogButton>
      <ConfirmButton
        label={endpoint.active ? 'Turn off' : 'Turn on'}
        title={endpoint.active ? 'Turn this endpoint off?' : 'Turn this endpoint on?'}
        tone="main"
        onConfirm={() => change.mutateAsync({ body: { active: !endpoint.active } })}
      >
        <p>
          {endpoint.active
            ? 'Nothing is sent to it until it is turned on. What came meanwhile can be replayed for 30 days.'
            : 'It is sent what happens from now on. Replay what came meanwhile.'}
        </p>
      </ConfirmButton>
      <ConfirmButton
        label="Rotate secret"
        title="Give it another secret?"
        tone="main"
        onConfirm={async () => {
          const { secret } = await rotate.mutateAsync({});
          if (secret !== null) onRotated(secret);
        }}
      >
        <p>Both secrets sign every webhook for 24 hours, so nothing is lost meanwhile.</p>
      </ConfirmButton>
      <ConfirmButton
        label="Delete"
        title="Delete this endpoint?"
        onConfirm={async () => {
          await remove.mutateAsync({});
          navigate('/developers/webhooks');
        }}
      >
        <p>It is sent nothing more, and its deliveries are not shown any more.</p>
      </ConfirmButton>
    </>
  );
}

function TestButton({ endpoint: { id, active } }: { endpoint: WebhookEndpoint }) {
  const test = useAction(() => ({
    method: 'POST',
    path: `/v1/webhook-endpoints/${id}/test`,
    body: {},
  }));
  return (
    <span className="refused">
      <Button
        tone="main"
        isBusy={test.isPending}
        refusal={active ? undefined : 'It is off.'}
        onClick={() => test.mutate({})}
      >
        Send a test
      </Button>
      {test.isSuccess && (
        <Notice tone="good">
          <p>On its way: see Deliveries.</p>
        </Notice>
      )}
      {test.error !== null && <ErrorNotice error={test.error} />}
    </span>
  );
}
