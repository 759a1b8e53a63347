import { Link } from 'wouter';
import type { Query } from '../../api/client';
import { environmentPath } from '../../api/environment-path';
import { usePolled } from '../../api/queries';
import type { Environment } from '../../api/session';
import { Notice } from '../../parts/element/notices';
import { pluralText } from '../../parts/text/text';
import { utcText } from '../../parts/text/time-text';
import {
  advanceEvents,
  advanceEventsText,
  countedTypes,
  type FeedPage,
  listTitle,
  readFeed,
} from './clock-events';

/** Result of a clock advance. */
export interface Advanced {
  readonly now: string;
  readonly processed: number;
  /** The advance was stopped before its target. */
  readonly stopped?: true;
}

/** Start of a clock advance. */
export interface AdvanceStart {
  /** Time of the environment. */
  readonly from: string;
  /** Cursor of the feed of events; absent if it could not be read. */
  readonly after?: string;
}

// Events arrive shortly after the advance: ten reads are half a minute.
const polling = { refetchMs: 3_000, readsMax: 10 };
const perPage = 1_000;
const pagesMax = 5;
const listedMax = 50;

/** Reports a clock advance and its events. */
export function AdvancedNotice({
  advanced: { stopped, now, processed },
  start: { from, after },
  sandbox,
}: {
  advanced: Advanced;
  start: AdvanceStart;
  sandbox: Environment;
}) {
  const place = `~/dashboard${environmentPath(sandbox)}`;
  return (
    <>
      <Notice tone="good">
        <p>
          {stopped === true ? 'Stopped at' : 'Advanced to'} {utcText(now)}. Processed{' '}
          {pluralText(processed, 'event')}.{' '}
          {processed > 0 && <Link href={`${place}/invoices`}>See invoices</Link>}
        </p>
      </Notice>
      {after !== undefined && processed > 0 && (
        <AdvanceEvents {...{ from, now, after, place }} environmentId={sandbox.id} />
      )}
    </>
  );
}

/** Counts and links of the events, outside the notice: screen readers would read each new count. */
function AdvanceEvents({
  from,
  now,
  after,
  place,
  environmentId,
}: {
  from: string;
  now: string;
  after: string;
  place: string;
  environmentId: string;
}) {
  const feed = usePolled(
    { path: '/v1/webhook-events', query: { after, types: countedTypes }, environmentId },
    polling,
    (send: (query: Query) => Promise<FeedPage>) =>
      readFeed(after, pagesMax, (cursor) =>
        send({ after: cursor, types: countedTypes, limit: perPage }),
      ),
  );
  const { events, hasMore } = feed.data ?? { events: [], hasMore: false };
  const counted = advanceEvents(events, { from, now });
  if (counted.length === 0) return null;
  return (
    <>
      <p>{advanceEventsText(counted, hasMore)}</p>
      <details className="chart-table">
        <summary>{listTitle(counted.length, listedMax)}</summary>
        <ul className="plain">
          {counted.slice(0, listedMax).map(({ key, at, text, href }) => (
            <li key={key}>
              {utcText(at)}: <Link href={`${place}${href}`}>{text}</Link>
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}
