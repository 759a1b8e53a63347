import { passwordHint, passwordStatus } from './new-password';

test.each([
  [0, 'At least 12 characters.'],
  [1, '11 more needed.'],
  [11, '1 more needed.'],
  [12, 'Long enough.'],
  [200, 'Long enough.'],
  [201, 'At most 200 characters.'],
])('the hint of a new password of %i characters says what is missing', (length, hint) => {
  expect(passwordHint(length)).toBe(hint);
});

test('the announced status of a new password changes at its limits alone', () => {
  const statuses = [0, 1, 11, 12, 13, 200, 201, 202].map(passwordStatus);
  const [good, long] = ['Long enough.', 'At most 200 characters.'];
  expect(statuses).toEqual(['', '', '', good, good, good, long, long]);
});
