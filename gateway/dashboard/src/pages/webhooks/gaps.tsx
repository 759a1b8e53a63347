import { useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { type Column, DataTable } from '../../parts/data-table';
import { DialogButton } from '../../parts/dialog';
import { Form, TextField } from '../../parts/form';
import { Answer, Notice } from '../../parts/notices';
import { pluralText } from '../../parts/text';
import { fromTimeField } from '../../parts/time-field';
import { missingText } from './missing-text';
import type { WebhookEndpoint, WebhookGap } from './webhook-resources';

/** Events that did not arrive at the endpoint. */
export function GapList({ endpointId }: { endpointId: string }) {
  const gaps = useResource<readonly WebhookGap[]>(`/v1/webhook-endpoints/${endpointId}/gaps`);
  const columns: Column<WebhookGap>[] = [
    {
      title: 'Of',
      text: (gap) => gap.subscriptionId ?? checkoutSessionOf(gap),
      cell: (gap) =>
        gap.subscriptionId === null ? (
          <code>{checkoutSessionOf(gap)}</code>
        ) : (
          <Link href={`/subscriptions/${gap.subscriptionId}`}>
            <code>{gap.subscriptionId}</code>
          </Link>
        ),
    },
    { title: 'Missing sequences', text: ({ missing }) => missingText(missing) },
  ];
  return (
    <Answer of={gaps} what="what is missing">
      {(found) =>
        found.length === 0 ? (
          <p>Nothing: it has taken everything of the last 30 days that it asked for.</p>
        ) : (
          <DataTable
            caption="Not arrived"
            columns={columns}
            rows={found}
            rowKey={(gap) => gap.subscriptionId ?? checkoutSessionOf(gap)}
          />
        )
      }
    </Answer>
  );
}

/** Sends the events since a time that did not arrive or, if chosen, all of them. */
export function ReplayButton({ endpoint }: { endpoint: WebhookEndpoint }) {
  const refusal = useRefusal('webhook-endpoints');
  const [count, setCount] = useState<number>();
  const replay = useAction<{ since: string; all: boolean }, { count: number }>((body) => ({
    method: 'POST',
    path: `/v1/webhook-endpoints/${endpoint.id}/replay`,
    body,
  }));
  return (
    <>
      {count !== undefined && (
        <Notice tone="good">
          <p>{pluralText(count, 'webhook')} will be sent.</p>
        </Notice>
      )}
      <DialogButton
        label="Replay"
        title="Replay webhooks"
        tone="quiet"
        refusal={refusal ?? (endpoint.active ? undefined : 'It is off.')}
      >
        {(close) => (
          <Form
            submit="Replay"
            onCancel={close}
            onSubmit={async (values) => {
              const since = fromTimeField(values.optional('since')) ?? '';
              const all = values.has('all');
              setCount((await replay.mutateAsync({ since, all })).count);
              close();
            }}
          >
            <TextField
              name="since"
              label="Since"
              type="datetime-local"
              hint="In UTC, of real time; at most 30 days back. Events that did not arrive are sent again."
            />
            <label className="check">
              <input type="checkbox" name="all" value="yes" />{' '}
              <span>Also send delivered events again</span>
            </label>
          </Form>
        )}
      </DialogButton>
    </>
  );
}

function checkoutSessionOf(gap: WebhookGap): string {
  return 'checkoutSessionId' in gap ? (gap.checkoutSessionId ?? '') : '';
}
