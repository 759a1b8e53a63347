import { DataTable } from './data-table';

/** What a chart shows, as a table for those who cannot see it or want to take it along. */
export function ChartTable({
  caption,
  labels,
  labelsTitle = 'When',
  series,
  format,
  exported = String,
}: {
  caption: string;
  /** Of the rows: days, months, names. */
  labels: readonly string[];
  labelsTitle?: string | undefined;
  series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
  format: (value: number) => string;
  /** A value for other programs; the bare number unless said. */
  exported?: ((value: number) => string) | undefined;
}) {
  const rows = labels.map((label, index) => ({
    label,
    values: series.map(({ values }) => values[index] ?? null),
  }));
  type Row = (typeof rows)[number];
  const columns = [
    { title: labelsTitle, text: ({ label }: Row) => label },
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
