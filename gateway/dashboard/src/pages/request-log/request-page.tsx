import type { toJsonRequestDetail } from '@billing/gateway/operator/request-routes';
import { useResource } from '../../api/queries';
import { CopyText } from '../../parts/element/buttons';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { Facts, Instant, ShortId } from '../../parts/element/values';
import { indentedJson } from '../../parts/text/indented-json';
import { durationText } from '../../parts/text/text';
import type { Choices } from '../../resources/choices';
import { callerText, StatusCode, TraceLink } from './logged-request';
import { addressOf, missingIn, replayCommand } from './replay';

type RequestDetail = ReturnType<typeof toJsonRequestDetail>;

/** A request to the public API with its response, and a command that sends it again. */
export function RequestPage({ id }: { id: string }) {
  const answer = useResource<RequestDetail>(`/dashboard/api/requests/${id}`);
  const choices = useResource<Choices>('/dashboard/api/choices');
  const title = answer.data === undefined ? 'Request' : titleOf(answer.data);
  return (
    <PageLayout title={title} back={{ href: '/developers/requests', label: 'Request log' }}>
      <Answer of={answer} what="request">
        {(request) => (
          <>
            <Panel>
              <Facts
                facts={[
                  ['Status', <StatusCode key="status" {...request} />],
                  ['Time', <Instant key="time" at={request.at} />],
                  ['Duration', durationText(request.durationMs)],
                  ['Caller', callerText(request)],
                  ['Request ID', <ShortId key="id" id={request.id} what="request id" />],
                  [
                    'Trace',
                    <TraceFact
                      key="trace"
                      {...request}
                      traceUrl={choices.data?.traceUrl ?? null}
                    />,
                  ],
                ]}
              />
            </Panel>
            <div className="panels">
              <BodyPanel title="Request" body={request.requestBody} />
              <BodyPanel title="Response" body={request.responseBody} />
            </div>
            <ReplayPanel request={request} />
          </>
        )}
      </Answer>
    </PageLayout>
  );
}

function TraceFact({ traceId, traceUrl }: { traceId: string | null; traceUrl: string | null }) {
  if (traceId === null) return '–';
  if (traceUrl === null) return <ShortId id={traceId} what="trace id" />;
  return <TraceLink {...{ traceId, traceUrl }} />;
}

function BodyPanel({ title, body }: { title: string; body: RequestDetail['requestBody'] }) {
  return (
    <Panel title={title}>
      {body === null ? (
        <EmptyState title="No body">
          The log keeps JSON bodies of writes and failures for seven days.
        </EmptyState>
      ) : (
        <>
          <CopyText text={indentedJson(body.json)} what={`body of the ${title.toLowerCase()}`} />
          {body.isShortened && <p className="faint">Shortened: the log keeps 16 kB of a body.</p>}
        </>
      )}
    </Panel>
  );
}

function ReplayPanel({ request }: { request: RequestDetail }) {
  return (
    <Panel title="Send again">
      <CopyText text={replayCommand(request, window.location.origin)} what="curl command" />
      <p className="faint">{missingIn(request).join(' ')} The command runs the request again.</p>
    </Panel>
  );
}

function titleOf({ method, ...request }: RequestDetail): string {
  return `${method} ${addressOf(request)}`;
}
