import { Link, useSearchParams } from 'wouter';
import { useResource } from '../../api/queries';
import type { Choices } from '../../resources/choices';
import { Button } from '../../parts/element/buttons';
import type { Column } from '../../parts/table/data-table';
import { SelectField, TextField } from '../../parts/form/form';
import { FormValues } from '../../parts/form/form-values';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { ResourceTable } from '../../parts/table/resource-table';
import { durationText } from '../../parts/text/text';
import { Instant, ShortId } from '../../parts/element/values';
import { callerText, type LoggedRequest, StatusCode, TraceLink } from './logged-request';

// Requests are logged within seconds.
const refetchMs = 3_000;
const methods = ['GET', 'POST', 'PATCH', 'DELETE'];
const statuses = [
  ['2xx', '2xx success'],
  ['3xx', '3xx not modified'],
  ['4xx', '4xx client error'],
  ['5xx', '5xx server error'],
] as const;
const filters = ['method', 'status', 'path', 'requestId'] as const;

/** Requests to the public API: writes and failures of the last seven days. */
export function RequestLogPage() {
  const [parameters, setParameters] = useSearchParams();
  const choices = useResource<Choices>('/dashboard/api/choices');
  const chosen = Object.fromEntries(filters.map((name) => [name, parameters.get(name) ?? '']));
  return (
    <PageLayout title="Request log" lead="Writes and failed requests of the last seven days.">
      <Panel>
        <Filters
          key={parameters.toString()}
          chosen={chosen}
          onChoose={(next) => {
            const named = Object.entries(next).filter(([, value]) => value !== '');
            setParameters(Object.fromEntries(named));
          }}
        />
        <ResourceTable
          caption="Requests"
          path="/dashboard/api/requests"
          hasOrder
          query={chosen}
          columns={columnsWith(choices.data?.traceUrl ?? null)}
          rowKey={({ entryId }) => entryId}
          refetchMs={refetchMs}
          empty={
            <EmptyState title="No requests found">
              {Object.values(chosen).some((value) => value !== '')
                ? 'Try other filters.'
                : 'Writes and failed requests to the API appear here.'}
            </EmptyState>
          }
        />
      </Panel>
    </PageLayout>
  );
}

function Filters({
  chosen,
  onChoose,
}: {
  chosen: Readonly<Record<string, string>>;
  onChoose: (chosen: Readonly<Record<string, string>>) => void;
}) {
  return (
    <form
      className="filters"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const values = new FormValues(new FormData(event.currentTarget));
        onChoose(Object.fromEntries(filters.map((name) => [name, values.text(name).trim()])));
      }}
    >
      <SelectField
        name="method"
        label="Method"
        defaultValue={chosen.method ?? ''}
        choices={[['', 'Any'], ...methods.map((name) => [name, name] as const)]}
      />
      <SelectField
        name="status"
        label="Status"
        defaultValue={chosen.status ?? ''}
        choices={[['', 'Any'], ...statuses]}
      />
      <TextField
        name="path"
        label="Path"
        placeholder="/v1/customers"
        autoComplete="off"
        defaultValue={chosen.path}
      />
      <TextField
        name="requestId"
        label="Request ID"
        autoComplete="off"
        defaultValue={chosen.requestId}
      />
      <Button type="submit">Filter</Button>
    </form>
  );
}

const columnsWith = (traceUrl: string | null): readonly Column<LoggedRequest>[] => [
  { title: 'Time', text: ({ at }) => at, cell: ({ at }) => <Instant at={at} /> },
  {
    title: 'Request',
    text: ({ method, path }) => `${method} ${path}`,
    cell: ({ entryId, method, path }) => (
      <Link href={`/developers/requests/${entryId}`}>
        <code className="path">
          {method} {path}
        </code>
      </Link>
    ),
  },
  {
    title: 'Status',
    text: ({ status, errorCode }) => [status, errorCode].filter(Boolean).join(' '),
    cell: (request) => <StatusCode {...request} />,
  },
  { title: 'Duration', align: 'end', text: ({ durationMs }) => durationText(durationMs) },
  { title: 'Caller', text: callerText },
  {
    title: 'IDs',
    text: ({ id, traceId }) => [id, traceId].filter(Boolean).join(' '),
    cell: ({ id, traceId }) => (
      <>
        <ShortId id={id} what="request id" />
        {traceId !== null && (
          <div className="faint">
            <TraceLink {...{ traceId, traceUrl }} />
          </div>
        )}
      </>
    ),
  },
];
