/** Format of an exported file. */
export type RowFormat = 'NDJSON' | 'CSV';

/** A row: the object as the API shows it. */
export type Row = Readonly<Record<string, unknown>>;

/** Writes rows in a format. */
export interface RowWriter {
  readonly extension: 'ndjson' | 'csv';
  readonly contentType: string;
  /** First line; empty for a format without one. */
  readonly head: (fields: readonly string[]) => string;
  readonly line: (row: Row, fields: readonly string[]) => string;
}

const lineEnd = '\r\n';
// Spreadsheets take such a text for a formula.
const formula = /^[=+\-@\t\r]/;
const needsQuotes = /[",\r\n]/;

/** Writers of rows by format. */
export const rowWriters: Readonly<Record<RowFormat, RowWriter>> = {
  NDJSON: {
    extension: 'ndjson',
    contentType: 'application/x-ndjson; charset=utf-8',
    head: () => '',
    line: (row) => `${JSON.stringify(row)}\n`,
  },
  CSV: {
    extension: 'csv',
    contentType: 'text/csv; charset=utf-8',
    head: (fields) => csvLine(fields),
    line: (row, fields) => csvLine(fields.map((field) => cellOf(row[field]))),
  },
};

function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}${lineEnd}`;
}

/** Text of a value before it is quoted. Null is empty, objects and arrays are JSON. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  return formula.test(value) ? `'${value}` : value;
}

function quoted(cell: string): string {
  return needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
