import { useRefusal } from '../../api/environment';
import { useAction, useResource } from '../../api/queries';
import { CopyText } from '../../parts/element/buttons';
import type { Column } from '../../parts/table/data-table';
import { ConfirmButton, DialogButton } from '../../parts/overlay/dialog';
import { EmptyState } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { ResourceTable } from '../../parts/table/resource-table';
import { durationText, pluralText } from '../../parts/text/text';
import { Facts, Instant, ShortId, StatusBadge } from '../../parts/element/values';
import { indentedJson } from '../../parts/text/indented-json';
import { NamedSubjectLink } from '../../resources/webhook/subject-link';
import type { WebhookAttempt, WebhookDelivery, WebhookEndpoint } from './webhook-resources';

// A delivery that was just created is sent within seconds.
const refetchMs = 3_000;

/** Deliveries to an endpoint, with their responses. */
export function DeliveryTable({ endpoint }: { endpoint: WebhookEndpoint }) {
  return (
    <ResourceTable
      caption="Deliveries"
      path={`/v1/webhook-endpoints/${endpoint.id}/deliveries`}
      hasOrder
      columns={columnsOf(endpoint)}
      rowKey={({ id }) => id}
      refetchMs={refetchMs}
      empty={
        <EmptyState title="No deliveries yet">
          Send a test webhook to check the endpoint.
        </EmptyState>
      }
    />
  );
}

function columnsOf(endpoint: WebhookEndpoint): readonly Column<WebhookDelivery>[] {
  return [
    {
      title: 'Created',
      text: ({ createdAt }) => createdAt,
      cell: ({ createdAt }) => <Instant at={createdAt} />,
    },
    {
      title: 'Event',
      text: ({ type, sequence }) => [type, sequence].filter((part) => part !== null).join(' '),
      cell: ({ type, sequence }) => (
        <>
          <code>{type}</code>
          {sequence !== null && <div className="faint">sequence {sequence}</div>}
        </>
      ),
    },
    {
      title: 'Status',
      text: ({ status }) => status,
      cell: ({ status, nextAttemptAt }) => (
        <>
          <StatusBadge status={status} />
          {nextAttemptAt !== null && (
            <div className="faint">
              Next attempt <Instant at={nextAttemptAt} />
            </div>
          )}
        </>
      ),
    },
    {
      title: 'Response',
      text: ({ attempts }) => responseText(attempts.at(-1)),
      cell: ({ attempts }) => (
        <>
          {responseText(attempts.at(-1))}
          {attempts.length > 1 && (
            <div className="faint">{pluralText(attempts.length, 'attempt')}</div>
          )}
        </>
      ),
    },
    {
      title: 'Actions',
      text: () => '',
      cell: (delivery) => (
        <div className="actions">
          <DialogButton label="View" title={delivery.type} tone="plain">
            {(close) => <DeliveryDetail endpointId={endpoint.id} {...{ delivery, close }} />}
          </DialogButton>
          <RetryButton {...{ endpoint, delivery }} />
        </div>
      ),
    },
  ];
}

function RetryButton({
  endpoint,
  delivery,
}: {
  endpoint: WebhookEndpoint;
  delivery: WebhookDelivery;
}) {
  const refusal = useRefusal('webhook-endpoints');
  const retry = useAction(
    ({ id }: WebhookDelivery) => ({
      method: 'POST',
      path: `/v1/webhook-endpoints/${endpoint.id}/deliveries/${id}/retry`,
      body: {},
    }),
    'Webhook queued again',
  );
  if (refusal !== undefined || !endpoint.active) return null;
  return (
    <ConfirmButton
      label="Resend"
      title="Resend this webhook?"
      tone="main"
      onConfirm={() => retry.mutateAsync(delivery)}
    >
      <p>The body and message ID stay the same, so the receiver can detect the duplicate.</p>
    </ConfirmButton>
  );
}

function DeliveryDetail({
  endpointId,
  delivery,
  close,
}: {
  endpointId: string;
  delivery: WebhookDelivery;
  close: () => void;
}) {
  const path = `/dashboard/api/webhook-endpoints/${endpointId}/deliveries/${delivery.id}/body`;
  const sent = useResource<{ body: string }>(path);
  const { messageId, subjectType, subjectId, attempts, nextAttemptAt } = delivery;
  return (
    <>
      <Facts
        facts={[
          ['Message', <ShortId key="message" id={messageId} what="message ID" />],
          [
            'Resource',
            subjectType === null || subjectId === null ? (
              '–'
            ) : (
              <NamedSubjectLink key="subject" of={{ subjectType, subjectId }} />
            ),
          ],
          ['Next attempt', <Instant key="next" at={nextAttemptAt} />],
        ]}
      />
      <section>
        <h3>Request</h3>
        <Answer of={sent} what="the request body">
          {({ body }) => <CopyText text={indentedJson(body)} what="request body" />}
        </Answer>
      </section>
      {attempts.length === 0 && <p>No attempts yet.</p>}
      {attempts.map((attempt, index) => (
        <section key={attempt.at}>
          <h3>
            Attempt {index + 1}: {responseText(attempt)}
          </h3>
          <p className="faint">
            <Instant at={attempt.at} />, {durationText(attempt.durationMs)}
          </p>
          {attempt.responseBody !== null && attempt.responseBody !== '' && (
            <CopyText
              text={attempt.responseBody}
              what={`response of attempt ${String(index + 1)}`}
            />
          )}
        </section>
      ))}
      <div className="actions">
        <button type="button" className="button quiet" onClick={close}>
          Close
        </button>
      </div>
    </>
  );
}

function responseText(attempt: WebhookAttempt | undefined): string {
  if (attempt === undefined) return '';
  if (attempt.responseStatus !== null) return String(attempt.responseStatus);
  return attempt.error ?? 'No response';
}
