import { changed, keptFor, noRows } from './selection';

interface Row {
  readonly id: string;
}

const keyOf = ({ id }: Row) => id;
const [first, second]: readonly [Row, Row] = [{ id: 'a' }, { id: 'b' }];
const both = changed(noRows<Row>('all'), { list: 'all', rows: [first, second], keyOf }, true);

test('rows are selected and deselected by their keys', () => {
  expect([...both.byKey.values()]).toEqual([first, second]);
  const one = changed(both, { list: 'all', rows: [{ id: 'a' }], keyOf }, false);
  expect([...one.byKey.values()]).toEqual([second]);
});

test('other filters begin without selected rows', () => {
  expect(keptFor('all', both)).toBe(both);
  const filtered = keptFor('open', both);
  expect(filtered.byKey.size).toBe(0);
  expect(keptFor('all', filtered).byKey.size).toBe(0);
});

test('rows that were read with earlier filters are not selected', () => {
  const filtered = noRows<Row>('open');
  expect(changed(filtered, { list: 'all', rows: [first], keyOf }, true)).toBe(filtered);
});
