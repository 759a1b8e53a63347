import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { ChartTable } from './chart-table';
import { periodText, shortPeriodText } from '../text/time-text';
import { useColors } from './colors';

/** Line with one value per time; null for a missing value. */
interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  /** Name of the chart and of its table. */
  readonly caption: string;
  /**
   * Days (2026-11-21), months (2026-11) or instants, oldest first; labels of `positions` if given.
   */
  readonly times: readonly string[];
  /** Positions of the values if the axis is not time, ascending. */
  readonly positions?: readonly number[] | undefined;
  /** Column title of `times` in the table. */
  readonly timesTitle?: string;
  readonly lines: readonly Line[];
  /** Formats a value. */
  readonly format: (value: number) => string;
  /** Formats a value on the axis; default: `format`. */
  readonly formatShort?: (value: number) => string;
  /** Formats an exported value; default: the plain number. */
  readonly exported?: (value: number) => string;
}

const heightPx = 240;
const lineWidth = 2;
const labelWidthPx = 84;
const wholeSteps = Array.from({ length: 16 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

/** Values over time as lines, with the same data as a table below. */
export function LineChart({
  caption,
  times,
  positions,
  timesTitle = 'Date',
  lines,
  format,
  formatShort = format,
  exported,
}: ChartProps) {
  const ref = useRef<HTMLDivElement>(null);
  const colors = useColors();
  // Index of the value under the cursor; without one the legend shows the latest value.
  const [pointed, setPointed] = useState<number | null>(null);
  const drawn = JSON.stringify([times, positions, lines]);
  useEffect(() => {
    const place = ref.current;
    if (place === null) return undefined;
    const places = positions ?? times.map((time) => secondsOf(time));
    const data = [places, ...lines.map(({ values }) => [...values])] as UPlot.AlignedData;
    const chart = new UPlot(
      optionsOf({
        lines,
        times,
        positions,
        onPoint: setPointed,
        formatShort,
        colors,
        width: place.clientWidth,
      }),
      data,
      place,
    );
    const observer = new ResizeObserver(() => {
      chart.setSize({ width: place.clientWidth, height: heightPx });
    });
    observer.observe(place);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
    // Compared by content, because a page creates new arrays on each render.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [drawn, colors]);
  return (
    <figure className="chart">
      <div ref={ref} className="plot" aria-hidden="true" />
      <p className="reading" aria-hidden="true">
        {readingText({ lines, times, positions, timesTitle, format }, pointed)}
      </p>
      <ChartTable
        caption={caption}
        labels={times}
        labelText={positions === undefined ? periodText : (label) => label}
        labelsTitle={timesTitle}
        series={lines.map(({ label, values }) => ({ label, values }))}
        format={format}
        exported={exported}
      />
    </figure>
  );
}

function optionsOf({
  lines,
  times,
  positions,
  onPoint,
  formatShort,
  colors,
  width,
}: Pick<ChartProps, 'lines' | 'times' | 'positions'> & {
  onPoint: (index: number | null) => void;
  formatShort: (value: number) => string;
  colors: ReturnType<typeof useColors>;
  width: number;
}): UPlot.Options {
  const axis = {
    stroke: colors.faint,
    font: '12px system-ui, sans-serif',
    grid: { stroke: colors.line, width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: heightPx,
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    legend: { show: false },
    // The label of the latest time is centered below it.
    padding: [null, labelWidthPx / 2, null, null],
    hooks: { setCursor: [(chart) => onPoint(chart.cursor.idx ?? null)] },
    series: [
      {},
      ...lines.map((_line, index) => {
        const stroke = colors.series[index % colors.series.length] ?? colors.faint;
        return {
          stroke,
          width: lineWidth,
          ...(lines.length === 1 && { fill: colors.fill }),
          points: { show: times.length <= 31, size: 5, fill: stroke },
        };
      }),
    ],
    axes: [
      {
        ...axis,
        grid: { show: false },
        // Positions are counts, so only whole steps make sense; times are labeled by themselves.
        ...(positions === undefined ? timeAxis(times, width) : { incrs: wholeSteps }),
      },
      {
        ...axis,
        size: 64,
        values: (_chart, values) => values.map((value) => formatShort(value)),
      },
    ],
    scales: {
      x: { time: positions === undefined },
      y: { range: { min: { pad: 0.1, soft: 0, mode: 1 }, max: { pad: 0.1, soft: 1, mode: 1 } } },
    },
    cursor: { drag: { x: false, y: false } },
  };
}

/** Labels some of the days or months themselves, as many as there is room for. */
function timeAxis(times: readonly string[], width: number): Partial<UPlot.Axis> {
  const every = Math.max(1, Math.ceil((times.length * labelWidthPx) / width));
  // Counted from the end, so that the latest time has a label.
  const shown = times.filter((_time, index) => (times.length - 1 - index) % every === 0);
  const labels = new Map(shown.map((time) => [secondsOf(time), shortPeriodText(time)]));
  return {
    splits: () => [...labels.keys()],
    values: (_chart, splits) => splits.map((split) => labels.get(split) ?? ''),
  };
}

/** “MRR in Mar 2026: $2,957.34”, “Total for 150 units: $545.00”. */
function readingText(
  {
    lines,
    times,
    positions,
    timesTitle,
    format,
  }: Pick<ChartProps, 'lines' | 'times' | 'positions' | 'format'> & { timesTitle: string },
  pointed: number | null,
): string {
  const time = times.at(pointed ?? -1);
  if (time === undefined) return '';
  const isMonth = time.length === 7;
  const at =
    positions === undefined
      ? `${isMonth ? 'in' : 'on'} ${periodText(time)}`
      : `for ${time} ${timesTitle.toLowerCase()}`;
  return lines
    .map(({ label, values }) => {
      const value = values.at(pointed ?? -1) ?? null;
      return `${label} ${at}: ${value === null ? 'none' : format(value)}`;
    })
    .join(' · ');
}

/** Start of a day or month in UTC, in seconds. */
function secondsOf(time: string): number {
  return Date.parse(time.length === 7 ? `${time}-01` : time) / 1_000;
}
