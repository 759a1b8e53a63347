import type { ReactNode } from 'react';
import { Button, CopyButton } from './buttons';
import { csvName, type TableColumn, toCopiedText, toCsv } from './table-text';

/** A column: its text is what is copied and exported, its cell what is shown, the text unless said. */
export interface Column<Row> extends TableColumn<Row> {
  readonly cell?: (row: Row) => ReactNode;
  readonly align?: 'end';
}

/** A table of rows that are all here, which can be copied and exported. */
export function DataTable<Row>({
  caption,
  columns,
  rows,
  rowKey,
  onExport,
  isCaptionShown = false,
}: {
  /** What the rows are: “API keys”. Read to those who do not see the page; exported files are named after it. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Exports more than what is shown; absent: these rows. */
  onExport?: () => void;
  isCaptionShown?: boolean;
}) {
  return (
    <div className="table">
      <div className="table-tools">
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
          CSV
        </Button>
      </div>
      <div className="table-scroll" role="region" aria-label={caption} tabIndex={0}>
        {/* Narrow screens show rows as cards, which would take their roles from them. */}
        <table role="table">
          <caption className={isCaptionShown ? undefined : 'unseen'}>{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
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

/** Gives the browser a table to keep. */
export function download(name: string, text: string): void {
  keepFile(name, new Blob([text], { type: 'text/csv;charset=utf-8' }));
}

/** Gives the browser a file to keep. */
export function keepFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
