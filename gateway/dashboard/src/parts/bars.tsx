import type { ReactNode } from 'react';
import { ChartTable } from './chart-table';
import { stackedColumns } from './stacked-columns';

/** Named values beside each other, the longest first or in the order of a funnel. */
export function Bars({
  caption,
  bars,
}: {
  caption: string;
  bars: readonly {
    readonly key: string;
    readonly label: ReactNode;
    readonly value: number;
    /** The value for readers. */
    readonly text: string;
  }[];
}) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ol className="bars" aria-label={caption}>
      {bars.map(({ key, label, value, text }) => (
        <li key={key}>
          <span className="bar-label">{label}</span>
          <span className="number">{text}</span>
          <span className="bar" aria-hidden="true">
            <span style={{ width: `${String((Math.max(0, value) / most) * 100)}%` }} />
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Values over time as columns, stacked; negative ones hang below the line. */
export function Columns({
  caption,
  times,
  series,
  format,
  exported,
}: {
  caption: string;
  times: readonly string[];
  series: readonly {
    readonly label: string;
    readonly values: readonly number[];
    /** Of the four in the stylesheet; absent: by its place. */
    readonly colour?: 1 | 2 | 3 | 4;
  }[];
  format: (value: number) => string;
  /** A value as the table exports it; the bare number unless said. */
  exported?: (value: number) => string;
}) {
  const colourOf = (index: number) => `series-${String(series[index]?.colour ?? (index % 4) + 1)}`;
  const { rectangles, zero, highest, lowest } = stackedColumns(series.map(({ values }) => values));
  return (
    <figure className="chart">
      <div className="columns" aria-hidden="true">
        <span className="columns-top faint">{format(highest)}</span>
        <svg viewBox="0 0 100 100" preserveAspectRatio="none">
          {rectangles.map(({ series: index, column, ...rectangle }) => (
            <rect
              key={`${String(index)} ${String(column)}`}
              className={colourOf(index)}
              {...rectangle}
            />
          ))}
          <line x1="0" x2="100" y1={zero} y2={zero} vectorEffect="non-scaling-stroke" />
        </svg>
        {lowest < 0 && <span className="columns-top faint">{format(lowest)}</span>}
        <span className="columns-ends faint">
          <span>{times[0]}</span>
          <span>{times.at(-1)}</span>
        </span>
      </div>
      <ul className="legend" aria-hidden="true">
        {series.map(({ label }, index) => (
          <li key={label} className={colourOf(index)}>
            {label}
          </li>
        ))}
      </ul>
      <ChartTable
        caption={caption}
        labels={times}
        series={series}
        format={format}
        exported={exported}
      />
    </figure>
  );
}
