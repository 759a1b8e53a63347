import { print, type Terminal } from './terminal';

/** Flag of every command. */
export interface OutputFlags {
  readonly json?: boolean;
}

/** A row of a result; its columns are those of the first row. */
export type Row = Readonly<Record<string, unknown>>;

/** Prints a table on a terminal, else, or with `--json`, one JSON object in a line for each row. */
export function printRows(terminal: Terminal, rows: readonly Row[], flags: OutputFlags): void {
  const lines = isForPerson(terminal, flags)
    ? tableLines(rows)
    : rows.map((row) => JSON.stringify(row));
  for (const line of lines) print(terminal, line);
}

/** Prints the fields of one thing. */
export function printFields(terminal: Terminal, fields: Row, flags: OutputFlags): void {
  if (!isForPerson(terminal, flags)) {
    print(terminal, JSON.stringify(fields));
    return;
  }
  const width = Math.max(...Object.keys(fields).map(({ length }) => length));
  for (const [name, value] of Object.entries(fields)) {
    print(terminal, `${name.padEnd(width)}  ${textOf(value)}`);
  }
}

/** True on a terminal without `--json`. */
export function isForPerson({ output }: Terminal, { json }: OutputFlags): boolean {
  return output.isTTY === true && json !== true;
}

function tableLines(rows: readonly Row[]): string[] {
  const [first] = rows;
  if (first === undefined) return [];
  const columns = Object.keys(first);
  const cells = [columns, ...rows.map((row) => columns.map((column) => textOf(row[column])))];
  const widths = columns.map((_column, index) =>
    Math.max(...cells.map((line) => line[index]?.length ?? 0)),
  );
  return cells.map((line) =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return typeof value === 'string' ? oneLine(value) : JSON.stringify(value);
}

/** Data may contain characters that move the cursor of a terminal. */
function oneLine(text: string): string {
  return text.replace(/\p{C}/gu, ' ');
}
