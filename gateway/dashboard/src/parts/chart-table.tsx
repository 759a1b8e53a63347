import { DataTable } from './data-table';

/** What a chart shows, as a table for those who cannot see it or want to take it along. */
export function ChartTable({
  caption,
  labels,
  labelsTitle = 'When',
  series,
  format,
}: {
  caption: string;
  /** Of the rows: days, months, names. */
  labels: readonly string[];
  labelsTitle?: string | undefined;
  series: readonly { readonly label: string; readonly values: readonly (number | null)[] }[];
  format: (value: number) => string;
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
      text: ({ values }: Row) => {
        const value = values[index] ?? null;
        return value === null ? '' : format(value);
      },
    })),
  ];
  return (
    <details className="chart-table">
      <summary>Show as table</summary>
      <DataTable caption={caption} columns={columns} rows={rows} rowKey={({ label }) => label} />
    </details>
  );
}
