import { ArrowDown, ArrowUp } from 'lucide-react';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { Page, Query } from '../../api/client';
import { usePage, useWholeList } from '../../api/queries';
import { Button } from '../element/buttons';
import { type BulkActions, BulkBar, selectedRowsMax } from './bulk-actions';
import { type Column, DataTable, download } from './data-table';
import { type Selection, useSelection, withoutChanges } from './selection';
import { Answer, ErrorNotice, Progress } from '../element/notices';
import {
  isOldestFirst,
  lastPageInstead,
  listParameter,
  pageIn,
  withParameters,
} from '../text/list-address';
import { csvName, toCsv } from '../text/table-text';
import { countText } from '../text/text';
import { instantText } from '../text/time-text';

const exportedRowsMax = 10_000;
const rowsPerPage = 25;

/**
 * Paged list of the API as a table. The URL contains its page and order; the export has up to
 * 10,000 rows.
 */
export function ResourceTable<Row extends object>({
  caption,
  path,
  query = {},
  columns,
  rowKey,
  empty,
  refetchMs,
  list = '',
  hasOrder = false,
  bulk,
}: {
  caption: string;
  /** Path of the list, such as `/v1/customers`. */
  path: string;
  query?: Query;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  /** Placeholder for an empty list. */
  empty: ReactNode;
  /** Polling interval while the page is open; absent: no polling. */
  refetchMs?: number;
  /** Name of the list in the URL; needed on pages with several lists. */
  list?: string;
  /** True if the list can also be read oldest first, with `order`. */
  hasOrder?: boolean;
  /** Actions on selected rows; absent: rows are not selectable. */
  bulk?: BulkActions<Row>;
}) {
  const { page, setPage, order, orderButton } = usePlace(list, hasOrder);
  const ordered = { ...query, order };
  const answer = usePage<Row>(path, { ...ordered, page, perPage: rowsPerPage }, refetchMs);
  // While another page loads, the answer is still that of the page before.
  const shown = answer.isPlaceholderData ? undefined : answer.data;
  useLastPageInstead({ page, shown, setPage });
  const csv = useCsvExport(caption, { path, query: ordered, columns });
  const filters = JSON.stringify([path, query]);
  const selection = useSelection(rowKey, filters);
  const areShown = useShown(filters, answer.isPlaceholderData);
  const all = useSelectAll(selection, { path, query: ordered });
  return (
    <Answer of={answer} what={caption} rows={8}>
      {({ data, total, totalIsMore = false, searchedSince = null }) => (
        <>
          {/* Stays when its action has emptied the list. */}
          {bulk !== undefined && (
            <BulkBar {...{ caption, columns, rowKey, selection, bulk, total }} onSelectAll={all} />
          )}
          {total === 0 ? (
            empty
          ) : (
            <DataTable
              {...{ caption, columns, rowKey }}
              rows={data}
              onExport={csv.start}
              tools={orderButton}
              {...(bulk !== undefined && {
                selection: {
                  ...(areShown ? selection : withoutChanges(selection)),
                  nameOf: bulk.nameOf,
                },
              })}
            />
          )}
          {csv.shown}
          <SearchEnd since={searchedSince} />
          {total > 0 && <Paging {...{ page, total, totalIsMore, caption }} onPage={setPage} />}
        </>
      )}
    </Answer>
  );
}

/** False while the rows of other filters are shown, because the answer is on its way. */
function useShown(filters: string, isEarlier: boolean): boolean {
  const [shown, setShown] = useState(filters);
  if (!isEarlier && shown !== filters) setShown(filters);
  return shown === filters || !isEarlier;
}

/** Replaces a page past the end, of an old link or after its rows have left the list. */
function useLastPageInstead({
  page,
  shown,
  setPage,
}: {
  page: number;
  shown: Pick<Page<unknown>, 'data' | 'total'> | undefined;
  setPage: ReturnType<typeof usePlace>['setPage'];
}): void {
  const instead =
    shown &&
    lastPageInstead({ page, rows: shown.data.length, total: shown.total, perPage: rowsPerPage });
  const replace = useEffectEvent((last: number) => setPage(last, { replace: true }));
  useEffect(() => {
    if (instead !== undefined) replace(instead);
  }, [instead]);
}

/**
 * Page and order of a list in the URL. Each change by the operator is an entry of the browser's
 * history.
 */
function usePlace(list: string, hasOrder: boolean) {
  const [parameters, setParameters] = useSearchParams();
  const isReversed = hasOrder && isOldestFirst(parameters, list);
  const pageName = listParameter(list, 'page');
  const change = (
    changes: Readonly<Record<string, string>>,
    options: { readonly replace?: boolean } = {},
  ) => {
    setParameters((before) => withParameters(before, changes), options);
  };
  const Arrow = isReversed ? ArrowUp : ArrowDown;
  return {
    page: pageIn(parameters, list),
    setPage: (page: number, options?: { readonly replace: boolean }) =>
      change({ [pageName]: page === 1 ? '' : String(page) }, options),
    order: isReversed ? 'asc' : undefined,
    orderButton: hasOrder && (
      <Button
        tone="plain"
        onClick={() => {
          const order = isReversed ? '' : 'asc';
          change({ [listParameter(list, 'order')]: order, [pageName]: '' });
        }}
      >
        <Arrow aria-hidden="true" />
        {isReversed ? 'Oldest first' : 'Newest first'}
      </Button>
    ),
  };
}

function SearchEnd({ since }: { since: string | null }) {
  if (since === null) return null;
  return (
    <p className="faint">Searched back to {instantText(since)}. Narrow the filters to see more.</p>
  );
}

function Paging({
  page,
  total,
  totalIsMore,
  caption,
  onPage,
}: {
  page: number;
  total: number;
  totalIsMore: boolean;
  caption: string;
  onPage: (page: number) => void;
}) {
  const pages = Math.max(1, Math.ceil(total / rowsPerPage));
  // A page past the end is shown until it is replaced.
  const first = Math.min(total, (page - 1) * rowsPerPage + 1);
  const last = Math.min(total, page * rowsPerPage);
  return (
    <nav className="paging" aria-label={`Pages of ${caption}`}>
      <span className="faint" role="status">
        {countText(first)}–{countText(last)} of {countText(total, totalIsMore)}
      </span>
      {pages > 1 && (
        <span className="actions">
          <Button
            disabled={page <= 1}
            onClick={() => {
              onPage(Math.min(pages, page - 1));
            }}
          >
            Previous
          </Button>
          <Button
            disabled={page >= pages}
            onClick={() => {
              onPage(page + 1);
            }}
          >
            Next
          </Button>
        </span>
      )}
    </nav>
  );
}

/** Selects the rows of all pages. */
function useSelectAll<Row>(
  { change }: Selection<Row>,
  { path, query }: { path: string; query: Query },
) {
  const readAll = useWholeList<Row>(path, query);
  const [state, setState] = useState<'busy' | Error>();
  const run = async () => {
    setState('busy');
    try {
      change(await readAll(selectedRowsMax, () => undefined), true);
      setState(undefined);
    } catch (error) {
      setState(error instanceof Error ? error : new Error('The list could not be read'));
    }
  };
  return {
    start: () => void run(),
    isBusy: state === 'busy',
    ...(state instanceof Error && { error: state }),
  };
}

function useCsvExport<Row>(
  caption: string,
  { path, query, columns }: { path: string; query: Query; columns: readonly Column<Row>[] },
) {
  const readAll = useWholeList<Row>(path, query);
  const [state, setState] = useState<{ done: number; total?: number } | Error>();
  const run = async () => {
    setState({ done: 0 });
    try {
      const rows = await readAll(exportedRowsMax, (done, total) => {
        setState({ done, total });
      });
      download(csvName(caption), toCsv(columns, rows));
      setState(undefined);
    } catch (error) {
      setState(error instanceof Error ? error : new Error('The export failed'));
    }
  };
  let shown: ReactNode = null;
  if (state instanceof Error) shown = <ErrorNotice error={state} onRetry={() => void run()} />;
  else if (state !== undefined) shown = <Progress label={`Exporting ${caption}`} {...state} />;
  return { start: () => void run(), shown };
}
