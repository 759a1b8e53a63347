import { useState } from 'react';
import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { type Column, DataTable } from '../../parts/table/data-table';
import { DialogButton } from '../../parts/overlay/dialog';
import { Form } from '../../parts/form/form';
import { TimeField } from '../../parts/form/time-field';
import { Answer, Notice } from '../../parts/element/notices';
import { pluralText } from '../../parts/text/text';
import { typedTime } from '../../parts/text/local-time-field';
import { missingText } from './missing-text';
import { NamedSubjectLink } from '../../resources/webhook/subject-link';
import type { WebhookEndpoint, WebhookGap } from './webhook-resources';

/** Events that were not delivered to the endpoint. */
export function GapList({ endpointId }: { endpointId: string }) {
  const gaps = useResource<readonly WebhookGap[]>(`/v1/webhook-endpoints/${endpointId}/gaps`);
  const columns: Column<WebhookGap>[] = [
    {
      title: 'Resource',
      text: ({ subjectId }) => subjectId,
      cell: (gap) => <NamedSubjectLink of={gap} />,
    },
    { title: 'Missing sequences', text: ({ missing }) => missingText(missing) },
  ];
  return (
    <Answer of={gaps} what="missing events">
      {(found) =>
        found.length === 0 ? (
          <p>No missing events in the last 30 days.</p>
        ) : (
          <DataTable
            caption="Missing events"
            columns={columns}
            rows={found}
            rowKey={({ subjectId }) => subjectId}
          />
        )
      }
    </Answer>
  );
}

/** Resends undelivered events since a time, or all events if chosen. */
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
        refusal={refusal ?? (endpoint.active ? undefined : 'This endpoint is disabled.')}
      >
        {(close) => (
          <Form
            submit="Replay"
            onCancel={close}
            onSubmit={async (values) => {
              const since = typedTime(values.optional('since')) ?? '';
              const all = values.has('all');
              setCount((await replay.mutateAsync({ since, all })).count);
              close();
            }}
          >
            <TimeField
              name="since"
              label="Since"
              hint="Real time, at most 30 days ago. Undelivered events are sent again."
            />
            <label className="check">
              <input type="checkbox" name="all" value="yes" />{' '}
              <span>Also resend delivered events</span>
            </label>
          </Form>
        )}
      </DialogButton>
    </>
  );
}
