import { randomSecret } from '@billing/chassis/ids';
import { passwordProblems } from './password';
import { hashPassword, isPassword } from './password-hash';

const email = 'ada@example.com';
const common = new Set(['qwertyuiop123', 'football', 'password']);
const quick = { cost: 10 };
const hashOf = (password: string) => hashPassword(password, { salt: randomSecret(16), ...quick });

test.each([
  ['too short', 'eleven char', ['Must be at least 12 characters']],
  ['empty', '', ['Must be at least 12 characters']],
  ['too long', 'ab'.repeat(101), ['Must be at most 200 characters']],
  ['common', 'QwertyUiop123', ['Too easy to guess']],
  ['a common word with a year', 'Football2024!!', ['Too easy to guess']],
  ['a common word twice', 'passwordpassword', ['Too easy to guess']],
  ['a common word among others', 'football and harp', []],
  ['a common word with much around it', 'football-72934615', []],
  ['one character', 'zzzzzzzzzzzzzzz', ['Too easy to guess']],
  ['the address itself', 'ADA@example.com', ['Too easy to guess']],
  ['of words', 'correct horse battery', []],
  ['of twelve characters', 'abcabcabcabc', []],
  ['the longest', 'ab'.repeat(100), []],
])('a password that is %s', (_case, password, problems) => {
  expect(passwordProblems(password, email, common)).toEqual(problems);
});

test('a password matches its own hash and no other', async () => {
  const hash = await hashOf('correct horse battery');
  expect(hash).toMatch(/^scrypt:10:3:[\w-]{22}:[\w-]{43}$/);
  expect(await isPassword('correct horse battery', hash, quick)).toBe(true);
  expect(await isPassword('correct horse batterx', hash, quick)).toBe(false);
  expect(await isPassword('', hash, quick)).toBe(false);
});

test('a hash with other cost parameters is verified by its own parameters', async () => {
  const [, , , salt = ''] = (await hashOf('irrelevant')).split(':');
  const easier = `scrypt:8:1:${salt}:${'A'.repeat(43)}`;
  expect(await isPassword('correct horse battery', easier, quick)).toBe(false);
});

test('composed and decomposed characters are equal', async () => {
  const hash = await hashOf('caf\u00e9 au lait noir');
  expect(await isPassword('cafe\u0301 au lait noir', hash, quick)).toBe(true);
});

test('no password matches a missing hash', async () => {
  expect(await isPassword('correct horse battery', undefined, quick)).toBe(false);
});
