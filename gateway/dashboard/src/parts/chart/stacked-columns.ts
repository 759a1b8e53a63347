import { valueTicks } from './value-ticks';

/** Piece of a column, in a square of 100 by 100 whose y axis points down. */
export interface ColumnPiece {
  readonly series: number;
  readonly column: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const gap = 0.25;

/**
 * Positions of the pieces of stacked columns and of the ticks of their axis; negative values are
 * below zero.
 */
export function stackedColumns(series: readonly (readonly number[])[]): {
  readonly rectangles: readonly ColumnPiece[];
  readonly zero: number;
  /** Values of the axis with their positions, the lowest first. */
  readonly ticks: readonly { readonly value: number; readonly y: number }[];
} {
  const count = Math.max(0, ...series.map((values) => values.length));
  const columns = Array.from({ length: count }, (_, column) =>
    series.map((values) => values[column] ?? 0),
  );
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const ups = columns.map((values) => sum(values.filter((value) => value > 0)));
  const downs = columns.map((values) => sum(values.filter((value) => value < 0)));
  const values = valueTicks(Math.min(0, ...downs), Math.max(0, ...ups));
  const [lowest = 0, highest = 1] = [values[0], values.at(-1)];
  const scale = 100 / (highest - lowest);
  const zero = highest * scale;
  const width = 100 / Math.max(1, count);
  const rectangles = columns.flatMap((values, column) =>
    values.flatMap((value, index) => {
      if (value === 0) return [];
      const same = values.slice(0, index).filter((other) => Math.sign(other) === Math.sign(value));
      const from = sum(same);
      const top = zero - Math.max(from, from + value) * scale;
      const x = column * width + width * (gap / 2);
      const place = { x, y: top, width: width * (1 - gap), height: Math.abs(value) * scale };
      return [{ series: index, column, ...place }];
    }),
  );
  const ticks = values.map((value) => ({ value, y: zero - value * scale }));
  return { rectangles, zero, ticks };
}
