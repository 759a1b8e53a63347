import { operatorProblems, passwordLengthProblems } from './operator-fields';

test.each([
  [{}, { email: [], name: [] }],
  [
    { email: 'ada@example.com', name: ' Ada ' },
    { email: [], name: [] },
  ],
  [
    { email: 'x', name: ' ' },
    { email: ['Invalid email'], name: ['Required'] },
  ],
  [
    { name: 'x'.repeat(201) },
    { email: [], name: [expect.stringMatching(/at most 200 characters/)] },
  ],
])('problems of the fields %j of an operator', (fields, expected) => {
  expect(operatorProblems(fields)).toEqual(expected);
});

test.each([
  ['x'.repeat(11), ['Must be at least 12 characters']],
  ['x'.repeat(12), []],
  ['x'.repeat(200), []],
  ['x'.repeat(201), [expect.stringMatching(/at most 200 characters/)]],
])('problems of the length of the password %s', (password, expected) => {
  expect(passwordLengthProblems(password)).toEqual(expected);
});
