import { DataTable } from '../table/data-table';

/** Data of a chart as a table, for screen readers and export. */
export function ChartTable({
  caption,
  labels,
  labelsTitle = 'Date',
  labelText,
  series,
  format,
  exported = String,
}: {
  caption: string;
  /** Labels of the rows: days, months, names. */
  labels: readonly string[];
  labelsTitle?: string | undefined;
  /** Formats a shown label; exports keep the label. */
  labelText: (label: string) => string;
  series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
  format: (value: number) => string;
  /** Formats an exported value; default: the plain number. */
  exported?: ((value: number) => string) | undefined;
}) {
  const rows = labels.map((label, index) => ({
    label,
    values: series.map(({ values }) => values[index] ?? null),
  }));
  type Row = (typeof rows)[number];
  const columns = [
    {
      title: labelsTitle,
      text: ({ label }: Row) => label,
      cell: ({ label }: Row) => labelText(label),
    },
    ...series.map(({ label }, index) => ({
      title: label,
      align: 'end' as const,
      text: ({ values }: Row) => textOf(values[index], exported),
      cell: ({ values }: Row) => textOf(values[index], format),
    })),
  ];
  return (
    <details className="chart-table">
      <summary>Show as table</summary>
      <DataTable caption={caption} columns={columns} rows={rows} rowKey={({ label }) => label} />
    </details>
  );
}

function textOf(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '' : format(value);
}
