/** A column of a table. */
export interface TableColumn<Row> {
  readonly title: string;
  /** Copied and exported text. */
  readonly text: (row: Row) => string;
}

/** Table for pasting into a spreadsheet, with tabs between cells. */
export function toCopiedText<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
): string {
  const oneLine = (text: string) => text.replace(/[\t\r\n]+/g, ' ');
  return toLines(columns, rows, (text) => safeText(oneLine(text)), '\t').join('\n');
}

/** Table as CSV (RFC 4180). */
export function toCsv<Row>(columns: readonly TableColumn<Row>[], rows: readonly Row[]): string {
  const lines = toLines(columns, rows, (text) => quoted(safeText(text)), ',');
  return `${lines.join('\r\n')}\r\n`;
}

/** Name of an exported file: `webhook-endpoints.csv`. */
export function csvName(caption: string): string {
  return `${caption.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.csv`;
}

function toLines<Row>(
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  cell: (text: string) => string,
  separator: string,
): readonly string[] {
  const titles = columns.map(({ title }) => cell(title)).join(separator);
  const lines = rows.map((row) => columns.map(({ text }) => cell(text(row))).join(separator));
  return [titles, ...lines];
}

/** Escapes text that a spreadsheet would run as a formula. Numbers and amounts stay unchanged. */
function safeText(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && !/^-?[\d.,]+( [A-Z]{3})?$/.test(text) ? `'${text}` : text;
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
