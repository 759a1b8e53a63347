import { Link } from 'wouter';
import { environmentPath } from '../../api/environment-path';
import { useResource } from '../../api/queries';
import type { Environment } from '../../api/session';
import { Notice } from '../../parts/element/notices';
import { pluralText } from '../../parts/text/text';
import { utcText } from '../../parts/text/time-text';
import { type FeedEvent, happenings, happeningsText, listTitle } from './clock-events';

/** Result of a clock advance. */
export interface Advanced {
  readonly now: string;
  readonly processed: number;
  /** The advance was stopped before its target. */
  readonly stopped?: true;
}

/** Begin of a clock advance. */
export interface AdvanceBegin {
  /** Time of the environment. */
  readonly from: string;
  /** Place in the feed of events; absent if it could not be read. */
  readonly after?: string;
}

// Events arrive shortly after the advance.
const refetchMs = 3_000;
const eventsMax = 1_000;
const listedMax = 50;

/** Reports a clock advance with what happened on the way. */
export function AdvancedNotice({
  advanced: { stopped, now, processed },
  begin: { from, after },
  sandbox,
}: {
  advanced: Advanced;
  begin: AdvanceBegin;
  sandbox: Environment;
}) {
  const feed = useResource<{ readonly data: readonly FeedEvent[] }>('/v1/webhook-events', {
    inEnvironment: sandbox.id,
    query: { after: after ?? '', limit: eventsMax },
    isEnabled: after !== undefined && processed > 0,
    refetchMs,
  });
  const happened = happenings(feed.data?.data ?? [], from);
  const place = `~/dashboard${environmentPath(sandbox)}`;
  return (
    <>
      <Notice tone="good">
        <p>
          {stopped === true ? 'Stopped at' : 'Advanced to'} {utcText(now)}. Processed{' '}
          {pluralText(processed, 'event')}
          {happened.length === 0 ? '.' : `: ${happeningsText(happened)}.`}{' '}
          {processed > 0 && <Link href={`${place}/invoices`}>See invoices</Link>}
        </p>
      </Notice>
      {happened.length > 0 && (
        <details className="chart-table">
          <summary>{listTitle(happened.length, listedMax)}</summary>
          <ul className="plain">
            {happened.slice(0, listedMax).map(({ key, at, text, href }) => (
              <li key={key}>
                {utcText(at)}: <Link href={`${place}${href}`}>{text}</Link>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
