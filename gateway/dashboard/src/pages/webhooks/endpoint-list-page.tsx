import { useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import type { Column } from '../../parts/data-table';
import { DialogButton } from '../../parts/dialog';
import { EmptyState, PageLayout, Panel } from '../../parts/layout';
import { ResourceTable } from '../../parts/resource-table';
import { Strip } from '../../parts/strip';
import { Day, StatusBadge } from '../../parts/values';
import { EndpointForm, type EndpointWish } from './endpoint-form';
import { healthOf, healthText } from './endpoint-health';
import { ToldSecret } from './told-secret';
import type { EndpointReport, ToldEndpoint, WebhookEndpoint } from './webhook-resources';

/** Where webhooks of the environment go. */
export function EndpointListPage() {
  const refusal = useRefusal('webhook-endpoints');
  const [made, setMade] = useState<ToldEndpoint>();
  const make = useAction<EndpointWish, ToldEndpoint>(({ description, ...wish }) => ({
    method: 'POST',
    path: '/v1/webhook-endpoints',
    body: { ...wish, ...(description !== null && { description }) },
  }));
  return (
    <PageLayout
      title="Webhooks"
      lead="Your servers are told here when a subscription or a checkout moves on."
      actions={
        <DialogButton label="New endpoint" refusal={refusal}>
          {(close) => (
            <EndpointForm
              submit="Add endpoint"
              onCancel={close}
              onSubmit={async (wish) => {
                setMade(await make.mutateAsync(wish));
                close();
              }}
            />
          )}
        </DialogButton>
      }
    >
      {made !== undefined && made.secret !== null && (
        <ToldSecret url={made.url} secret={made.secret} onDone={() => setMade(undefined)} />
      )}
      <Panel>
        <EndpointTable />
      </Panel>
    </PageLayout>
  );
}

function EndpointTable() {
  const { data } = useResource<{ data: readonly EndpointReport[] }>(
    '/dashboard/api/reports/webhooks',
  );
  const reports = data?.data ?? [];
  const columns: Column<WebhookEndpoint>[] = [
    {
      title: 'URL',
      text: ({ url }) => url,
      cell: ({ id, url, description }) => (
        <>
          <Link href={`/developers/webhooks/${id}`}>{url}</Link>
          {description !== null && <div className="faint">{description}</div>}
        </>
      ),
    },
    {
      title: 'State',
      text: ({ active }) => (active ? 'active' : 'off'),
      cell: ({ active }) => <StatusBadge status={active ? 'ACTIVE' : 'OFF'} />,
    },
    {
      title: 'Last 30 days',
      text: ({ id }) => healthText(healthOf(reports, id)),
      cell: ({ id, url }) => (
        <>
          <Strip caption={`Webhooks to ${url}`} days={healthOf(reports, id)} />
          <div className="faint">{healthText(healthOf(reports, id))}</div>
        </>
      ),
    },
    {
      title: 'Kinds',
      align: 'end',
      text: ({ events }) => String(events.length),
    },
    {
      title: 'Added',
      text: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Day at={createdAt} />,
    },
  ];
  return (
    <ResourceTable
      caption="Webhook endpoints"
      path="/v1/webhook-endpoints"
      columns={columns}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No endpoints yet">
          Add one with “New endpoint”, then send it a test to see that it answers.
        </EmptyState>
      }
    />
  );
}
