import { useState } from 'react';
import { useLocation } from 'wouter';
import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { Button } from '../../parts/element/buttons';
import { ConfirmButton, DialogButton } from '../../parts/overlay/dialog';
import { PageLayout, Panel } from '../../parts/element/layout';
import { Answer, ErrorNotice, Notice } from '../../parts/element/notices';
import { Day, Facts, ShortId } from '../../parts/element/values';
import { DeliveryTable } from './delivery-table';
import { EndpointForm } from './endpoint-form';
import { EndpointDays, EndpointState, useEndpointReports } from './endpoint-report';
import { AuditLink } from '../../resources/audit/audit-link';
import { GapList, ReplayButton } from './gaps';
import { SigningSecret } from './signing-secret';
import type { EndpointWithSecret, WebhookEndpoint } from './webhook-resources';

/** Page of one endpoint: details, missing events and deliveries. */
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
            <Panel title="Missing events" actions={<ReplayButton endpoint={found} />}>
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
  const { id, url, events, description, createdAt } = endpoint;
  const reports = useEndpointReports();
  const [rotated, setRotated] = useState<string>();
  return (
    <>
      {rotated !== undefined && (
        <SigningSecret {...{ url }} secret={rotated} onDone={() => setRotated(undefined)} />
      )}
      <Panel
        title="Details"
        actions={
          <>
            <AuditLink id={id} />
            <Actions {...{ endpoint }} onRotated={setRotated} />
          </>
        }
      >
        <Facts
          facts={[
            ['Status', <EndpointState key="state" {...{ endpoint, reports }} />],
            ['Description', description ?? '–'],
            ['Events', events.join(', ')],
            ['Created', <Day key="created" at={createdAt} />],
            ['ID', <ShortId key="id" id={id} what="ID" />],
            [
              'Last 30 days',
              <div key="days">
                <EndpointDays {...{ endpoint, reports }} />
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
  const change = useAction(
    ({ body }: { body: object }) => ({ method: 'PATCH', path, body }),
    'Endpoint saved',
  );
  const rotate = useAction<object, EndpointWithSecret>(() => ({
    method: 'POST',
    path: `${path}/rotate-secret`,
    body: {},
  }));
  if (refusal !== undefined) return <span className="faint">{refusal}</span>;
  return (
    <>
      <TestButton endpoint={endpoint} />
      <DialogButton label="Edit" title="Edit endpoint" tone="quiet">
        {(close) => (
          <EndpointForm
            {...{ endpoint }}
            submit="Save"
            onCancel={close}
            onSubmit={async (input) => {
              await change.mutateAsync({ body: input });
              close();
            }}
          />
        )}
      </DialogButton>
      <ConfirmButton
        label={endpoint.active ? 'Disable' : 'Enable'}
        title={endpoint.active ? 'Disable this endpoint?' : 'Enable this endpoint?'}
        tone="main"
        onConfirm={() => change.mutateAsync({ body: { active: !endpoint.active } })}
      >
        <p>
          {endpoint.active
            ? 'No webhooks are sent until you enable it again. Missed events can be replayed for 30 days.'
            : 'New events are sent from now on. Replay the missed events.'}
        </p>
      </ConfirmButton>
      <ConfirmButton
        label="Rotate secret"
        title="Rotate the signing secret?"
        tone="main"
        onConfirm={async () => {
          const { secret } = await rotate.mutateAsync({});
          if (secret !== null) onRotated(secret);
        }}
      >
        <p>The old and the new secret both sign webhooks for 24 hours, so no webhook is lost.</p>
      </ConfirmButton>
      <DeleteButton path={path} />
    </>
  );
}

function DeleteButton({ path }: { path: string }) {
  const [, navigate] = useLocation();
  const remove = useAction(() => ({ method: 'DELETE', path }), 'Endpoint deleted');
  return (
    <ConfirmButton
      label="Delete"
      title="Delete this endpoint?"
      onConfirm={async () => {
        await remove.mutateAsync({});
        navigate('/developers/webhooks');
      }}
    >
      <p>Webhooks stop, and the deliveries are no longer shown.</p>
    </ConfirmButton>
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
        refusal={active ? undefined : 'This endpoint is disabled.'}
        onClick={() => test.mutate({})}
      >
        Send test webhook
      </Button>
      {test.isSuccess && (
        <Notice tone="good">
          <p>Test webhook created. See Deliveries.</p>
        </Notice>
      )}
      {test.error !== null && <ErrorNotice error={test.error} />}
    </span>
  );
}
