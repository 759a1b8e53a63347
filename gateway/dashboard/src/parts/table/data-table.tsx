import { Download } from 'lucide-react';
import { type ReactNode, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { Button, CopyButton } from '../element/buttons';
import type { Selection } from './selection';
import { csvName, type TableColumn, toCopiedText, toCsv } from '../text/table-text';

/** Column: `text` is copied and exported, `cell` is shown; default: `text`. */
export interface Column<Row> extends TableColumn<Row> {
  readonly cell?: (row: Row) => ReactNode;
  readonly align?: 'end';
}

/** Selection of rows that have names. */
type NamedSelection<Row> = Pick<Selection<Row>, 'has' | 'toggle' | 'change'> & {
  readonly nameOf: (row: Row) => string;
};

/** Table of loaded rows, which can be copied and exported. */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  onExport,
  tools,
  selection,
  isCaptionShown = false,
}: {
  /** Name of the rows, such as “API keys”, for screen readers and names of exported files. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Exports more than the shown rows; absent: exports the shown rows. */
  onExport?: () => void;
  /** Further buttons above the table. */
  tools?: ReactNode;
  /** Makes rows selectable. */
  selection?: NamedSelection<Row>;
  isCaptionShown?: boolean;
}) {
  const region = useRef<HTMLDivElement>(null);
  const isWide = useWider(region);
  return (
    <div className="table">
      <TableTools {...{ caption, columns, rows, onExport, tools }} />
      <div
        ref={region}
        className={`table-scroll ${isWide ? 'wide' : ''}`}
        role="region"
        aria-label={caption}
        // Keyboards scroll what has the focus.
        tabIndex={isWide ? 0 : undefined}
      >
        {/* Explicit roles: narrow screens show rows as cards, which drops the implicit ones. */}
        <table role="table">
          <caption className={isCaptionShown ? undefined : 'unseen'}>{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {selection !== undefined && <PageSelector {...{ caption, rows, selection }} />}
              {columns.map(({ title, align }) => (
                <th key={title} scope="col" role="columnheader" className={align}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {rows.map((row) => (
              <tr key={rowKey(row)} role="row">
                {selection !== undefined && <RowSelector {...{ row, selection }} />}
                {columns.map(({ title, align, text, cell }) => (
                  <td key={title} role="cell" className={align} data-title={title}>
                    <div>{cell === undefined ? text(row) : cell(row)}</div>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}

function TableTools<Row>({
  caption,
  columns,
  rows,
  onExport,
  tools,
}: {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  onExport: (() => void) | undefined;
  tools: ReactNode;
}) {
  return (
    <div className="table-tools">
      {tools}
      <CopyButton text={() => toCopiedText(columns, rows)} what={`${caption} as text`} />
      <Button
        tone="plain"
        aria-label={`Export ${caption} as CSV`}
        onClick={
          onExport ??
          (() => {
            download(csvName(caption), toCsv(columns, rows));
          })
        }
      >
        <Download aria-hidden="true" />
        CSV
      </Button>
    </div>
  );
}

function PageSelector<Row>({
  caption,
  rows,
  selection: { has, change },
}: {
  caption: string;
  rows: readonly Row[];
  selection: NamedSelection<Row>;
}) {
  return (
    <th scope="col" role="columnheader" className="selector">
      <input
        type="checkbox"
        aria-label={`Select all ${caption} of this page`}
        checked={rows.every(has)}
        onChange={(event) => change(rows, event.target.checked)}
      />
    </th>
  );
}

function RowSelector<Row>({
  row,
  selection: { nameOf, has, toggle },
}: {
  row: Row;
  selection: NamedSelection<Row>;
}) {
  return (
    <td role="cell" className="selector" data-title="Select">
      <input
        type="checkbox"
        aria-label={`Select ${nameOf(row)}`}
        checked={has(row)}
        onChange={() => toggle(row)}
      />
    </td>
  );
}

/** True while the content of an element is wider than the element. */
function useWider(ref: RefObject<HTMLElement | null>): boolean {
  const [isWider, setWider] = useState(false);
  useLayoutEffect(() => {
    const element = ref.current;
    const content = element?.firstElementChild ?? null;
    if (element === null || content === null) return undefined;
    const measure = () => setWider(content.scrollWidth > element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    observer.observe(content);
    return () => observer.disconnect();
  }, [ref]);
  return isWider;
}

/** Downloads a table as a CSV file. */
export function download(name: string, text: string): void {
  keepFile(name, new Blob([text], { type: 'text/csv;charset=utf-8' }));
}

/** Downloads a file. */
export function keepFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
