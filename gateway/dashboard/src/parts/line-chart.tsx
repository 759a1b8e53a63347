import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { ChartTable } from './chart-table';
import { useColours } from './colours';

/** A line: one value for each point in time, null where there is none. */
interface Line {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  /** What is shown; the table beside it is called the same. */
  readonly caption: string;
  /** Days (2026-11-21), months (2026-11) or instants, oldest first; names of the positions where there are any. */
  readonly times: readonly string[];
  /** Where the values stand if that is no time, ascending. */
  readonly positions?: readonly number[] | undefined;
  /** What `times` are, in the table. */
  readonly timesTitle?: string;
  readonly lines: readonly Line[];
  /** A value for readers. */
  readonly format: (value: number) => string;
  /** A value on the axis, where there is little room; like `format` unless said. */
  readonly formatShort?: (value: number) => string;
  /** A value as the table exports it; the bare number unless said. */
  readonly exported?: (value: number) => string;
}

const heightPx = 240;
const lineWidth = 2;
const wholeSteps = Array.from({ length: 16 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

/** Values over time as lines. The picture is for those who see it; the table below says the same. */
export function LineChart({
  caption,
  times,
  positions,
  timesTitle = 'When',
  lines,
  format,
  formatShort = format,
  exported,
}: ChartProps) {
  const ref = useRef<HTMLDivElement>(null);
  const colours = useColours();
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
        timesTitle,
        format,
        formatShort,
        colours,
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
    // What is drawn is compared by its content: a page makes new arrays whenever it is shown.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [drawn, colours]);
  return (
    <figure className="chart">
      <div ref={ref} className="plot" aria-hidden="true" />
      <ChartTable
        caption={caption}
        labels={times}
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
  timesTitle,
  format,
  formatShort,
  colours,
  width,
}: Pick<ChartProps, 'lines' | 'times' | 'positions' | 'format'> & {
  timesTitle: string;
  formatShort: (value: number) => string;
  colours: ReturnType<typeof useColours>;
  width: number;
}): UPlot.Options {
  const axis = {
    stroke: colours.faint,
    font: '12px system-ui, sans-serif',
    grid: { stroke: colours.line, width: 1 },
    ticks: { show: false },
  };
  return {
    width,
    height: heightPx,
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    series: [
      {
        label: timesTitle,
        // At rest it says the latest.
        value: (_chart, _value, _series, index) => times.at(index ?? -1) ?? '–',
      },
      ...lines.map(({ label, values }, index) => {
        const stroke = colours.series[index % colours.series.length] ?? colours.faint;
        return {
          label,
          stroke,
          width: lineWidth,
          ...(lines.length === 1 && { fill: colours.fill }),
          points: { show: times.length <= 31, size: 5, fill: stroke },
          value: (_chart: UPlot, _value: number | null, _series: number, at: number | null) => {
            const value = values.at(at ?? -1) ?? null;
            return value === null ? '–' : format(value);
          },
        };
      }),
    ],
    axes: [
      // Positions are numbers of things: halves of them would mean nothing.
      { ...axis, grid: { show: false }, ...(positions !== undefined && { incrs: wholeSteps }) },
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

/** Days and months have no time of their own: they begin where UTC says. */
function secondsOf(time: string): number {
  return Date.parse(time.length === 7 ? `${time}-01` : time) / 1_000;
}
