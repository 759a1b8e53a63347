import { Link } from 'wouter';
import { instantColumn } from '../../parts/table/columns';
import { type Column, DataTable } from '../../parts/table/data-table';
import { labelText } from '../../parts/text/text';
import { dayText, instantText } from '../../parts/text/time-text';
import { historyOf, placeOf, type Timeline } from './timeline';

type HistoryEntry = ReturnType<typeof historyOf>[number];

/** Timeline of a subscription as a drawing, with the same data as a table. */
export function TimelineView({ timeline }: { timeline: Timeline }) {
  return (
    <>
      <TimelineDrawing timeline={timeline} />
      <details className="chart-table">
        <summary>Show as table</summary>
        <DataTable
          caption="History"
          columns={columns}
          rows={historyOf(timeline)}
          rowKey={({ at, text }) => `${at} ${text}`}
        />
      </details>
    </>
  );
}

const columns: readonly Column<HistoryEntry>[] = [
  instantColumn('Time', ({ at }) => at),
  {
    title: 'Event',
    text: ({ text }) => text,
    cell: ({ text, invoiceId }) =>
      invoiceId === undefined ? text : <Link href={`/invoices/${invoiceId}`}>{text}</Link>,
  },
];

function TimelineDrawing({ timeline }: { timeline: Timeline }) {
  const { from, to, now, spans, invoices, attempts, changes } = timeline;
  const applied = changes.filter(({ isApplied }) => isApplied);
  const left = (at: string) => ({ left: `${String(placeOf(at, timeline))}%` });
  const width = (begin: string, end: string) =>
    `${String(placeOf(end, timeline) - placeOf(begin, timeline))}%`;
  const isAhead = placeOf(now, timeline) < 100;
  return (
    <div className="timeline" aria-hidden="true">
      <div className="timeline-track">
        {spans.map((span) => (
          <span
            key={span.from}
            className={`timeline-span ${span.state.replace(' ', '-')}`}
            style={{ ...left(span.from), width: width(span.from, span.to) }}
            title={`${labelText(span.state)}: ${dayText(span.from)} to ${dayText(span.to)}`}
          />
        ))}
        {isAhead && (
          <span
            className="timeline-ahead"
            style={{ ...left(now), width: width(now, to) }}
            title="Upcoming"
          />
        )}
        {attempts
          .filter(({ hasFailed }) => hasFailed)
          .map(({ at, invoiceId, text }) => (
            <Link
              key={`${invoiceId} ${at}`}
              tabIndex={-1}
              className="timeline-tick"
              style={left(at)}
              title={`${instantText(at)}: ${text}`}
              href={`/invoices/${invoiceId}`}
            />
          ))}
        {applied.map(({ at, changeId, text }) => (
          <span
            key={changeId}
            className="timeline-change"
            style={left(at)}
            title={`${instantText(at)}: ${text}`}
          />
        ))}
      </div>
      <div className="timeline-invoices">
        {invoices.map(({ at, invoiceId, status, text }) => (
          <Link
            key={invoiceId}
            tabIndex={-1}
            className={`timeline-dot ${status.toLowerCase()}`}
            style={left(at)}
            title={`${dayText(at)}: ${text}`}
            href={`/invoices/${invoiceId}`}
          />
        ))}
      </div>
      <div className="columns-ends faint">
        <span>{dayText(from)}</span>
        <span>{dayText(to)}</span>
      </div>
      <TimelineLegend
        states={[...new Set(spans.map(({ state }) => state))]}
        hasChanges={applied.length > 0}
      />
    </div>
  );
}

function TimelineLegend({
  states,
  hasChanges,
}: {
  states: readonly string[];
  hasChanges: boolean;
}) {
  return (
    <ul className="legend timeline-legend">
      {states.map((state) => (
        <li key={state} className={state.replace(' ', '-')}>
          {labelText(state)}
        </li>
      ))}
      <li className="dot">Invoice</li>
      <li className="tick">Failed charge</li>
      {hasChanges && <li className="change">Plan change</li>}
    </ul>
  );
}
