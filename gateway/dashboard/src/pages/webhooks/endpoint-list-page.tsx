import { useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../api/environment';
import { useAction } from '../../api/queries';
import type { Column } from '../../parts/table/data-table';
import { DialogButton } from '../../parts/overlay/dialog';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { ResourceTable } from '../../parts/table/resource-table';
import { Day } from '../../parts/element/values';
import { EndpointForm, type EndpointInput } from './endpoint-form';
import { daysText, statusText } from './endpoint-health';
import { EndpointDays, EndpointState, useEndpointReports } from './endpoint-report';
import { SigningSecret } from './signing-secret';
import type { EndpointWithSecret, WebhookEndpoint } from './webhook-resources';

/** List of webhook endpoints, with a form for a new one. */
export function EndpointListPage() {
  const refusal = useRefusal('webhook-endpoints');
  const [created, setCreated] = useState<EndpointWithSecret>();
  const create = useAction<EndpointInput, EndpointWithSecret>(
    ({ description, ...input }) => ({
      method: 'POST',
      path: '/v1/webhook-endpoints',
      body: { ...input, ...(description !== null && { description }) },
    }),
    ({ id }) => ({ text: 'Endpoint created', href: `/developers/webhooks/${id}` }),
  );
  return (
    <PageLayout
      title="Webhooks"
      lead="Get notified when subscriptions, invoices, customers and other resources change."
      actions={
        <DialogButton label="New endpoint" refusal={refusal}>
          {(close) => (
            <EndpointForm
              submit="Add endpoint"
              onCancel={close}
              onSubmit={async (input) => {
                setCreated(await create.mutateAsync(input));
                close();
              }}
            />
          )}
        </DialogButton>
      }
    >
      {created !== undefined && created.secret !== null && (
        <SigningSecret
          url={created.url}
          secret={created.secret}
          onDone={() => setCreated(undefined)}
        />
      )}
      <Panel>
        <EndpointTable />
      </Panel>
    </PageLayout>
  );
}

function EndpointTable() {
  const reports = useEndpointReports();
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
      title: 'Status',
      text: (endpoint) => statusText(endpoint, reports),
      cell: (endpoint) => <EndpointState {...{ endpoint, reports }} />,
    },
    {
      title: 'Last 30 days',
      text: ({ id }) => daysText(reports, id),
      cell: (endpoint) => <EndpointDays {...{ endpoint, reports }} />,
    },
    {
      title: 'Events',
      align: 'end',
      text: ({ events }) => String(events.length),
    },
    {
      title: 'Created',
      text: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Day at={createdAt} />,
    },
  ];
  return (
    <ResourceTable
      caption="Webhook endpoints"
      path="/v1/webhook-endpoints"
      hasOrder
      columns={columns}
      rowKey={({ id }) => id}
      empty={
        <EmptyState title="No endpoints yet">
          Add one with <em>New endpoint</em>, then send a test webhook.
        </EmptyState>
      }
    />
  );
}
