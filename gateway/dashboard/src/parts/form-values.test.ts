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

test('a problem of a part stands at the field of that part, and one of the whole above all', () => {
  const fields = { address: ['line1: Too long', 'country: Invalid country', 'planet: Unknown'] };
  expect(problemsOf(fields, 'address.line1')).toEqual(['Too long']);
  expect(problemsOf(fields, 'address.line')).toEqual([]);
  const names = ['address.line1', 'address.country', 'name'];
  expect(otherProblems(fields, names)).toEqual(['address: planet: Unknown']);
  expect(otherProblems({ address: ['Required'] }, names)).toEqual(['address: Required']);
});
