import { Link, useSearchParams } from 'wouter';
import type { EventRow } from '@billing/gateway/operator/event-routes';
import type { Page } from '../../api/client';
import { useResource } from '../../api/queries';
import { Button, CopyText } from '../../parts/element/buttons';
import { EmptyState, PageLayout, Panel } from '../../parts/element/layout';
import { Answer } from '../../parts/element/notices';
import { Instant, StatusBadge } from '../../parts/element/values';
import { ChoiceFilter, Filters, TextFilter, useFilters } from '../../parts/form/filters';
import { DialogButton } from '../../parts/overlay/dialog';
import { type Column, DataTable } from '../../parts/table/data-table';
import { withParameters } from '../../parts/text/list-address';
import { wordsText } from '../../parts/text/text';
import type { Choices } from '../../resources/choices';
import { SubjectLink } from '../../resources/webhook/subject-link';

interface Found {
  readonly data: readonly EventRow[];
  /** Position before which the search continues; null at the end. */
  readonly nextBefore: number | null;
}

interface Endpoint {
  readonly id: string;
  readonly url: string;
}

/** All events of the environment, whether an endpoint asks for them or not, newest first. */
export function EventListPage() {
  const filters = useFilters(['type', 'objectId']);
  const choices = useResource<Choices>('/dashboard/api/choices');
  const types = (choices.data?.webhookEvents ?? [])
    .filter((name) => name !== '*')
    .map((name) => [name, name] as const);
  return (
    <PageLayout
      title="Events"
      lead="Everything that webhooks can announce, newest first, with the deliveries of each."
    >
      <Panel>
        <Filters state={filters}>
          <ChoiceFilter label="Type" choices={types} {...filters.field('type')} />
          <TextFilter label="Object ID" {...filters.field('objectId')} />
        </Filters>
        <EventList query={filters.values} isFiltered={filters.isFiltered} />
      </Panel>
    </PageLayout>
  );
}

function EventList({
  query,
  isFiltered,
}: {
  query: Readonly<Record<'type' | 'objectId', string>>;
  isFiltered: boolean;
}) {
  const [parameters, setParameters] = useSearchParams();
  const before = parameters.get('before') ?? '';
  const found = useResource<Found>('/dashboard/api/events', { query: { ...query, before } });
  const endpoints = useResource<Page<Endpoint>>('/v1/webhook-endpoints', {
    query: { perPage: 100 },
  });
  const urls = endpoints.data && new Map(endpoints.data.data.map(({ id, url }) => [id, url]));
  const goTo = (position: string) => {
    setParameters((at) => withParameters(at, { before: position }));
  };
  return (
    <Answer of={found} what="events" rows={8}>
      {({ data, nextBefore }) => (
        <>
          {data.length === 0 ? (
            <NoEvents {...{ isFiltered }} isEnd={nextBefore === null} />
          ) : (
            <DataTable
              caption="Events"
              columns={columnsOf(urls)}
              rows={data}
              rowKey={({ position }) => String(position)}
            />
          )}
          {(nextBefore !== null || before !== '') && (
            <nav className="paging" aria-label="Pages of Events">
              <span className="actions">
                <Button disabled={before === ''} onClick={() => goTo('')}>
                  Newest
                </Button>
                <Button
                  disabled={nextBefore === null}
                  onClick={() => goTo(String(nextBefore ?? ''))}
                >
                  Older
                </Button>
              </span>
            </nav>
          )}
        </>
      )}
    </Answer>
  );
}

function NoEvents({ isFiltered, isEnd }: { isFiltered: boolean; isEnd: boolean }) {
  if (!isEnd) {
    return <EmptyState title="No events found yet">Continue with older events.</EmptyState>;
  }
  return isFiltered ? (
    <EmptyState title="No events found">Events are kept for 30 days. Try other filters.</EmptyState>
  ) : (
    <EmptyState title="No events yet">
      Changes of customers, subscriptions, invoices and products appear here.
    </EmptyState>
  );
}

/** Without `urls` the endpoints are not known yet. */
function columnsOf(urls: ReadonlyMap<string, string> | undefined): readonly Column<EventRow>[] {
  const urlOf = (id: string) => (urls === undefined ? '…' : (urls.get(id) ?? 'deleted endpoint'));
  return [
    {
      title: 'Time',
      text: ({ timestamp, acceptedAt }) => timestamp ?? acceptedAt,
      cell: ({ timestamp, acceptedAt }) => <Instant at={timestamp ?? acceptedAt} />,
    },
    {
      title: 'Event',
      text: ({ type }) => type ?? '',
      cell: ({ type, sequence }) => (
        <>
          <code>{type ?? 'unreadable'}</code>
          {sequence !== null && <div className="faint">sequence {sequence}</div>}
        </>
      ),
    },
    {
      title: 'Object',
      text: ({ subject }) => `${wordsText(subject.type)} ${subject.name ?? subject.id}`,
      cell: ({ subject }) => (
        <span className="sentence">
          <SubjectLink
            of={{ subjectType: subject.type, subjectId: subject.id, name: subject.name }}
          />
        </span>
      ),
    },
    {
      title: 'Deliveries',
      text: ({ deliveries }) =>
        deliveries
          .map(({ endpointId, status }) => `${urlOf(endpointId)}: ${wordsText(status)}`)
          .join(', '),
      cell: ({ deliveries }) =>
        deliveries.length === 0
          ? 'None'
          : deliveries.map(({ endpointId, status }) => (
              <div key={endpointId}>
                <StatusBadge status={status} />{' '}
                <Link href={`/developers/webhooks/${endpointId}`}>{urlOf(endpointId)}</Link>
              </div>
            )),
    },
    {
      title: 'Body',
      text: ({ id }) => id ?? '',
      cell: ({ id, type }) =>
        id !== null && (
          <DialogButton label="View" title={type ?? 'Event'} tone="plain">
            {() => <EventBody id={id} />}
          </DialogButton>
        ),
    },
  ];
}

function EventBody({ id }: { id: string }) {
  const event = useResource<{ readonly event: unknown }>(`/v1/webhook-events/${id}`);
  return (
    <Answer of={event} what="the event">
      {({ event: body }) => <CopyText text={JSON.stringify(body, null, 2)} what="body" />}
    </Answer>
  );
}
