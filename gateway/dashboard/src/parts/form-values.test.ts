import { FormValues, otherProblems, problemsOf } from './form-values';

test('what was typed is read by the names of the fields', () => {
  const data = new FormData();
  data.append('name', ' Ada ');
  data.append('events', 'a');
  data.append('events', 'b');
  data.append('empty', '  ');
  const values = new FormValues(data);
  expect([values.text('name'), values.optional('name'), values.optional('empty')]).toEqual([
    ' Ada ',
    'Ada',
    undefined,
  ]);
  expect(values.all('events')).toEqual(['a', 'b']);
  expect([values.has('events'), values.has('other')]).toEqual([true, false]);
});

test('a problem stands at its field, and nowhere twice', () => {
  const fields = { scopes: ['Required'], 'scopes.1': ['Invalid scope'], scopesOf: ['Unknown'] };
  expect(problemsOf(fields, 'scopes')).toEqual(['Required', 'Invalid scope']);
  expect(otherProblems(fields, ['scopes', 'name'])).toEqual(['scopesOf: Unknown']);
});
