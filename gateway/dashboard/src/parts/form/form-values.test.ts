import {
  FormValues,
  groupProblems,
  incompleteProblems,
  otherProblems,
  problemsOf,
} from './form-values';

test('form values are read by field name', () => {
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

test('an error message is shown at its field, and only once', () => {
  const fields = { scopes: ['Required'], 'scopes.1': ['Invalid scope'], scopesOf: ['Unknown'] };
  expect(problemsOf(fields, 'scopes')).toEqual(['Required', 'Invalid scope']);
  expect(otherProblems(fields, ['scopes', 'name'])).toEqual(['scopesOf: Unknown']);
});

test('an error of a part is shown at the field of that part, other errors above the form', () => {
  const fields = { address: ['line1: Too long', 'country: Invalid country', 'planet: Unknown'] };
  expect(problemsOf(fields, 'address.line1')).toEqual(['Too long']);
  expect(problemsOf(fields, 'address.line')).toEqual([]);
  const names = ['address.line1', 'address.country', 'name'];
  expect(otherProblems(fields, names)).toEqual(['address: planet: Unknown']);
  expect(otherProblems({ address: ['Required'] }, names)).toEqual(['address: Required']);
});

test('a problem of a group is shown once: at its field, at the group, or above the form', () => {
  const fields = {
    lines: ['Must have at most 100 entries', '0.amount: Required', '1.planet: Unknown'],
    'lines.2.amount': ['Too large'],
    linesOf: ['Unknown'],
  };
  const names = ['lines.0.amount', 'lines.2.amount', 'name'];
  expect(names.map((name) => problemsOf(fields, name))).toEqual([['Required'], ['Too large'], []]);
  expect(groupProblems(fields, 'lines', names)).toEqual([
    'Must have at most 100 entries',
    '1.planet: Unknown',
  ]);
  expect(otherProblems(fields, [...names, 'lines'])).toEqual(['linesOf: Unknown']);
});

test('a date and time that is typed only in part is refused', () => {
  const input = (name: string, type: string, badInput: boolean) => ({
    ...{ name, type },
    validity: { badInput },
  });
  const inputs = [
    input('resumeAt', 'datetime-local', true),
    input('at', 'datetime-local', false),
    input('count', 'number', true),
    input('', 'datetime-local', true),
  ];
  expect(incompleteProblems(inputs)).toEqual({
    resumeAt: ['Must be a complete date and time'],
    count: ['Must be complete'],
  });
});
