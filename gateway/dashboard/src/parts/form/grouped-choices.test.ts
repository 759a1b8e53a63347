import { grouped } from './grouped-choices';

test('choices are in groups, in the order of the first of each', () => {
  const groupOf = (name: string) => (name.includes('.') ? (name.split('.')[0] ?? '') : '');
  expect(grouped(['*', 'b.*', 'a.*', 'a.x', 'b.x', 'b.y'], groupOf)).toEqual([
    ['', ['*']],
    ['b', ['b.*', 'b.x', 'b.y']],
    ['a', ['a.*', 'a.x']],
  ]);
});
