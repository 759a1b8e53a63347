import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { ApiRequest } from '../../api/client';
import { useRowActions } from '../../api/queries';
import type { RowOutcome } from '../../api/row-action';
import { Button } from '../element/buttons';
import { ErrorNotice, Progress } from '../element/notices';
import { StatusBadge } from '../element/values';
import { DialogButton } from '../overlay/dialog';
import { useEscape } from '../overlay/escape';
import { csvName, toCsv } from '../text/table-text';
import { countText, pluralText } from '../text/text';
import { type Column, DataTable, download } from './data-table';
import type { Selection } from './selection';

/** An action on the selected rows of a list. */
export interface BulkAction<Row> {
  /** Label of the buttons: “Charge”. */
  readonly label: string;
  readonly tone?: 'main' | 'danger';
  /** Reason why the operator may not do it. */
  readonly refusal?: string | undefined;
  /** Reason why the action does not apply to a row. */
  readonly refusalOf?: (row: Row) => string | undefined;
  readonly request: (row: Row) => ApiRequest;
  readonly outcomeOf: (answer: unknown, row: Row) => RowOutcome;
  /** Consequence of the action, shown before it begins. */
  readonly consequence: ReactNode;
}

/** Actions on the selected rows, and how the rows are named. */
export interface BulkActions<Row> {
  /** Name of a row: “INV-000001”. */
  readonly nameOf: (row: Row) => string;
  /** Noun of a row: “invoice”. */
  readonly noun: string;
  readonly actions: readonly BulkAction<Row>[];
}

/** Number of selected rows, with what can be done with them. */
export function BulkBar<Row extends object>({
  caption,
  columns,
  rowKey,
  selection,
  bulk: { nameOf, noun, actions },
  total,
  onSelectAll,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  selection: Selection<Row>;
  bulk: BulkActions<Row>;
  /** Number of rows on all pages. */
  total: number;
  onSelectAll: { readonly start: () => void; readonly isBusy: boolean; readonly error?: Error };
}) {
  const { rows } = selection;
  if (rows.length === 0) return null;
  return (
    <div className="bulk-bar" role="group" aria-label={`Actions on selected ${caption}`}>
      <strong role="status">{countText(rows.length)} selected</strong>
      {actions.map((action) => (
        <DialogButton
          key={action.label}
          label={action.label}
          title={`${action.label}: ${pluralText(rows.length, noun)}`}
          tone="quiet"
          refusal={action.refusal}
        >
          {(close) => (
            <BulkRun
              {...{ caption, action, rows, rowKey, nameOf, noun }}
              onCancel={close}
              onDone={() => {
                close();
                selection.clear();
              }}
            />
          )}
        </DialogButton>
      ))}
      <Button
        onClick={() => {
          download(csvName(caption), toCsv(columns, rows));
        }}
      >
        Export
      </Button>
      {rows.length < total && (
        <Button tone="plain" isBusy={onSelectAll.isBusy} onClick={onSelectAll.start}>
          Select all {countText(Math.min(total, selectedRowsMax))}
        </Button>
      )}
      <Button tone="plain" onClick={selection.clear}>
        Clear selection
      </Button>
      {onSelectAll.error !== undefined && <ErrorNotice error={onSelectAll.error} />}
    </div>
  );
}

/** Limit of rows of one action. */
export const selectedRowsMax = 1_000;

type Result = 'WAITING' | 'DONE' | 'FAILED' | 'SKIPPED';

interface RowResult<Row> {
  readonly row: Row;
  readonly result: Result;
  readonly text: string;
}

function BulkRun<Row extends object>({
  caption,
  action,
  rows,
  rowKey,
  nameOf,
  noun,
  onCancel,
  onDone,
}: {
  caption: string;
  action: BulkAction<Row>;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  nameOf: (row: Row) => string;
  noun: string;
  onCancel: () => void;
  onDone: () => void;
}) {
  const run = useBulkRun(action, rows);
  const { results, isStarted, isRunning, stop } = run;
  const escaped = isRunning ? stop : onDone;
  useEscape(isStarted ? escaped : undefined);
  const table = (
    <DataTable<RowResult<Row>>
      caption={isStarted ? `Outcomes of ${caption}` : `Selected ${caption}`}
      columns={resultColumns(noun, nameOf)}
      rows={results}
      rowKey={({ row }) => rowKey(row)}
    />
  );
  if (isStarted) return <Outcomes {...{ action, run, table, onDone }} />;
  const skipped = results.filter(({ result }) => result === 'SKIPPED').length;
  const runnable = results.length - skipped;
  return (
    <>
      <p>{action.consequence}</p>
      {skipped > 0 && (
        <p>
          {countText(skipped)} of {pluralText(results.length, noun)} will be skipped.
        </p>
      )}
      {table}
      <div className="actions">
        <Button tone={action.tone ?? 'main'} disabled={runnable === 0} onClick={run.start}>
          {action.label} {countText(runnable)}
        </Button>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </>
  );
}

/** Progress, and after it the summary of the outcomes. */
function Outcomes<Row extends object>({
  action,
  run: { results, isRunning, isStopping, start, stop },
  table,
  onDone,
}: {
  action: BulkAction<Row>;
  run: ReturnType<typeof useBulkRun<Row>>;
  table: ReactNode;
  onDone: () => void;
}) {
  const count = (wanted: Result) => results.filter(({ result }) => result === wanted).length;
  const [done, failed, skipped] = [count('DONE'), count('FAILED'), count('SKIPPED')];
  const waiting = count('WAITING');
  if (isRunning) {
    const total = results.length - skipped;
    return (
      <>
        <Progress label={`${action.label}: running`} done={done + failed} total={total} />
        {table}
        <div className="actions">
          <Button isBusy={isStopping} onClick={stop}>
            Stop
          </Button>
        </div>
      </>
    );
  }
  return (
    <>
      <p role="status">
        {countText(done)} done, {countText(failed)} failed
        {skipped > 0 && `, ${countText(skipped)} skipped`}
        {waiting > 0 && `, ${countText(waiting)} not started`}.
      </p>
      {table}
      <div className="actions">
        <Button tone="main" onClick={onDone}>
          Done
        </Button>
        {failed + waiting > 0 && (
          <Button onClick={start}>Retry {countText(failed + waiting)}</Button>
        )}
      </div>
    </>
  );
}

function resultColumns<Row>(
  noun: string,
  nameOf: (row: Row) => string,
): readonly Column<RowResult<Row>>[] {
  return [
    { title: noun.replace(/^./, (letter) => letter.toUpperCase()), text: ({ row }) => nameOf(row) },
    {
      title: 'Result',
      text: ({ result }) => result.toLowerCase(),
      cell: ({ result }) => <StatusBadge status={result} />,
    },
    { title: 'Detail', text: ({ text }) => text },
  ];
}

/**
 * Runs the action on the rows that are not done yet. After a stop the requests in progress still
 * end; leaving the page stops it, too.
 */
function useBulkRun<Row extends object>(action: BulkAction<Row>, rows: readonly Row[]) {
  const { send, reload } = useRowActions();
  // The rows at the opening of the dialog: a reload of the page changes nothing here.
  const [results, setResults] = useState<readonly RowResult<Row>[]>(() =>
    rows.map((row) => {
      const text = action.refusalOf?.(row);
      return { row, result: text === undefined ? 'WAITING' : 'SKIPPED', text: text ?? '' };
    }),
  );
  const [state, setState] = useState<'new' | 'running' | 'stopping' | 'ended'>('new');
  const isStopped = useRef(false);
  useEffect(() => {
    isStopped.current = false;
    return () => {
      isStopped.current = true;
    };
  }, []);
  const run = async () => {
    isStopped.current = false;
    setState('running');
    await send(
      results
        .filter(({ result }) => result === 'WAITING' || result === 'FAILED')
        .map(({ row }) => row),
      {
        act: async (row, sendRow) => action.outcomeOf(await sendRow(action.request(row)), row),
        report: (row, { isDone, text }) => {
          const result = { row, result: isDone ? 'DONE' : 'FAILED', text } as const;
          setResults((before) => before.map((one) => (one.row === row ? result : one)));
        },
        isStopped: () => isStopped.current,
      },
    );
    setState('ended');
    await reload();
  };
  return {
    results,
    isStarted: state !== 'new',
    isRunning: state === 'running' || state === 'stopping',
    isStopping: state === 'stopping',
    start: () => void run(),
    stop: () => {
      isStopped.current = true;
      setState((before) => (before === 'running' ? 'stopping' : before));
    },
  };
}
