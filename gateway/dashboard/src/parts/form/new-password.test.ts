import { passwordHint } from './new-password';

test.each([
  [0, 'At least 12 characters.'],
  [1, '11 more needed.'],
  [11, '1 more needed.'],
  [12, 'Long enough.'],
])('the hint of a new password of %i characters says what is missing', (length, hint) => {
  expect(passwordHint(length)).toBe(hint);
});
