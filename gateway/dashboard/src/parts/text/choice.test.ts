import { matchingChoices, noChoiceText } from './choice';

const choices = [
  { id: 'a', label: 'Pro yearly', detail: '$290.00 / year' },
  { id: 'b', label: 'Pro', detail: '$29.00 / month' },
  { id: 'c', label: 'Team' },
];

test.each([
  ['', ['a', 'b', 'c']],
  ['  PRO ', ['a', 'b']],
  ['month pro', ['b']],
  ['290', ['a']],
  ['c', ['c']],
  ['nothing', []],
])('the search %p matches %p', (search, ids) => {
  expect(matchingChoices(choices, search).map(({ id }) => id)).toEqual(ids);
});

test.each([
  ['PENDING', 'Searching…'],
  ['FAILED', 'The customers could not be loaded'],
  ['DONE', 'No customers found'],
] as const)('a list of no choices says why: %s is %s', (progress, text) => {
  expect(noChoiceText('customers', progress)).toBe(text);
});
