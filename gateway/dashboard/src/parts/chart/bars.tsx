import type { ReactNode } from 'react';
import { periodText } from '../text/time-text';
import { ChartTable } from './chart-table';
import { stackedColumns } from './stacked-columns';

/** Named values as horizontal bars, in the given order. */
export function Bars({
  caption,
  bars,
}: {
  caption: string;
  bars: readonly {
    readonly key: string;
    readonly label: ReactNode;
    readonly value: number;
    /** The value as text. */
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

/** Values at the left of a chart, each at its height. */
function ValueAxis({
  ticks,
  format,
}: {
  ticks: readonly { readonly value: number; readonly y: number }[];
  format: (value: number) => string;
}) {
  return (
    <span className="columns-axis faint">
      {ticks.map(({ value, y }) => (
        <span key={value} style={{ top: `${String(y)}%` }}>
          {format(value)}
        </span>
      ))}
    </span>
  );
}

/** Values over time as stacked columns; negative values are below the zero line. */
export function Columns({
  caption,
  times,
  series,
  format,
  formatShort = format,
  exported,
}: {
  caption: string;
  times: readonly string[];
  series: readonly {
    readonly label: string;
    readonly values: readonly number[];
    /** One of the four colors of the stylesheet; default: by index. */
    readonly color?: 1 | 2 | 3 | 4;
  }[];
  format: (value: number) => string;
  /** Formats a value on the axis; default: `format`. */
  formatShort?: (value: number) => string;
  /** Formats an exported value; default: the plain number. */
  exported?: (value: number) => string;
}) {
  const colorOf = (index: number) => `series-${String(series[index]?.color ?? (index % 4) + 1)}`;
  const [first, last] = [times[0], times.at(-1)];
  const { rectangles, zero, ticks } = stackedColumns(series.map(({ values }) => values));
  return (
    <figure className="chart">
      <div className="columns" aria-hidden="true">
        <ValueAxis ticks={ticks} format={formatShort} />
        <svg viewBox="0 0 100 100" preserveAspectRatio="none">
          {ticks.map(({ value, y }) => (
            <line
              key={value}
              className="grid"
              {...{ y1: y, y2: y }}
              x1="0"
              x2="100"
              vectorEffect="non-scaling-stroke"
            />
          ))}
          {rectangles.map(({ series: index, column, ...rectangle }) => (
            <rect
              key={`${String(index)} ${String(column)}`}
              className={colorOf(index)}
              {...rectangle}
            />
          ))}
          <line x1="0" x2="100" y1={zero} y2={zero} vectorEffect="non-scaling-stroke" />
        </svg>
        <span className="columns-ends faint">
          <span>{first !== undefined && periodText(first)}</span>
          <span>{last !== undefined && periodText(last)}</span>
        </span>
      </div>
      <ul className="legend" aria-hidden="true">
        {series.map(({ label }, index) => (
          <li key={label} className={colorOf(index)}>
            {label}
          </li>
        ))}
      </ul>
      <ChartTable
        caption={caption}
        labels={times}
        labelText={periodText}
        series={series}
        format={format}
        exported={exported}
      />
    </figure>
  );
}
