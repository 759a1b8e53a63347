import { useState } from 'react';

/** Selected rows of a list, on all its pages. */
export interface Selection<Row> {
  readonly rows: readonly Row[];
  readonly has: (row: Row) => boolean;
  readonly toggle: (row: Row) => void;
  /** Selects or deselects several rows. */
  readonly change: (rows: readonly Row[], isSelected: boolean) => void;
  readonly clear: () => void;
}

export function useSelection<Row>(rowKey: (row: Row) => string): Selection<Row> {
  const [selected, setSelected] = useState<ReadonlyMap<string, Row>>(new Map());
  const change = (rows: readonly Row[], isSelected: boolean) => {
    setSelected((before) => {
      const next = new Map(before);
      for (const row of rows) {
        if (isSelected) next.set(rowKey(row), row);
        else next.delete(rowKey(row));
      }
      return next;
    });
  };
  const has = (row: Row) => selected.has(rowKey(row));
  return {
    rows: [...selected.values()],
    has,
    toggle: (row) => change([row], !has(row)),
    change,
    clear: () => setSelected(new Map()),
  };
}
