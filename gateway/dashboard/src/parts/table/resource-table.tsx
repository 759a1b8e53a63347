import { type ReactNode, useState } from 'react';
import type { Query } from '../../api/client';
import { usePage, useWholeList } from '../../api/queries';
import { Button } from '../element/buttons';
import { type Column, DataTable, download } from './data-table';
import { Answer, ErrorNotice, Progress } from '../element/notices';
import { csvName, toCsv } from '../text/table-text';
import { countText } from '../text/text';
import { instantText } from '../text/time-text';

const exportedRowsMax = 10_000;
const rowsPerPage = 25;

/** Paged list of the API as a table; the export has up to 10,000 rows. */
export function ResourceTable<Row>({
  caption,
  path,
  query = {},
  columns,
  rowKey,
  empty,
  refetchMs,
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
}) {
  // A changed filter starts at the first page.
  const filter = JSON.stringify(query);
  const [place, setPlace] = useState({ filter, page: 1 });
  const page = place.filter === filter ? place.page : 1;
  const list = usePage<Row>(path, { ...query, page, perPage: rowsPerPage }, refetchMs);
  const csv = useCsvExport(caption, { path, query, columns });
  return (
    <Answer of={list} what={caption} rows={8}>
      {({ data, total, totalIsMore = false, searchedSince = null }) =>
        total === 0 ? (
          <>
            {empty}
            <SearchEnd since={searchedSince} />
          </>
        ) : (
          <>
            <DataTable {...{ caption, columns, rowKey }} rows={data} onExport={csv.start} />
            {csv.shown}
            <SearchEnd since={searchedSince} />
            <Paging
              {...{ page, total, totalIsMore, caption }}
              onPage={(next) => {
                setPlace({ filter, page: next });
              }}
            />
          </>
        )
      }
    </Answer>
  );
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
  const first = (page - 1) * rowsPerPage + 1;
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
              onPage(page - 1);
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
