import { commonPasswords } from './common-password-store';
import { passwordProblems } from './password';

test('the package contains tens of thousands of passwords', () => {
  expect(commonPasswords.size).toBeGreaterThan(30_000);
});

test.each([
  '1qaz2wsx3edc',
  'motherfucker',
  'qwerty123456',
  'Password1234',
  'passwordpassword',
  'iloveyou1234',
  'Liverpool2024!',
])('%s is refused', (password) => {
  expect(passwordProblems(password, 'ada@example.com', commonPasswords)).toEqual([
    'Too easy to guess',
  ]);
});

test('a sentence is accepted', () => {
  expect(passwordProblems('correct horse battery', 'ada@example.com', commonPasswords)).toEqual([]);
});
