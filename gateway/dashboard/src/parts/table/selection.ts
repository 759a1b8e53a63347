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

/** Selected rows of one list: its path and filters. */
interface SelectedRows<Row> {
  readonly list: string;
  readonly byKey: ReadonlyMap<string, Row>;
}

/** `list` is the path and the filters: other ones begin without selected rows. */
export function useSelection<Row>(rowKey: (row: Row) => string, list: string): Selection<Row> {
  const [state, setState] = useState(() => noRows<Row>(list));
  const selected = keptFor(list, state);
  if (selected !== state) setState(selected);
  const change = (rows: readonly Row[], isSelected: boolean) => {
    setState((before) => changed(before, { list, rows, keyOf: rowKey }, isSelected));
  };
  const has = (row: Row) => selected.byKey.has(rowKey(row));
  return {
    rows: [...selected.byKey.values()],
    has,
    toggle: (row) => change([row], !has(row)),
    change,
    clear: () => setState(noRows<Row>(list)),
  };
}

/** The selection while its rows are those of other filters: clicks change nothing. */
export function withoutChanges<Row>(selection: Selection<Row>): Selection<Row> {
  return { ...selection, toggle: () => undefined, change: () => undefined };
}

export function noRows<Row>(list: string): SelectedRows<Row> {
  return { list, byKey: new Map() };
}

/** The selected rows if they are of the list; of another list none are. */
export function keptFor<Row>(list: string, selected: SelectedRows<Row>): SelectedRows<Row> {
  return selected.list === list ? selected : noRows(list);
}

/** Selects or deselects rows; rows of another list, which were read before, change nothing. */
export function changed<Row>(
  selected: SelectedRows<Row>,
  {
    list,
    rows,
    keyOf,
  }: { readonly list: string; readonly rows: readonly Row[]; readonly keyOf: (row: Row) => string },
  isSelected: boolean,
): SelectedRows<Row> {
  if (selected.list !== list) return selected;
  const byKey = new Map(selected.byKey);
  for (const row of rows) {
    if (isSelected) byKey.set(keyOf(row), row);
    else byKey.delete(keyOf(row));
  }
  return { list, byKey };
}
