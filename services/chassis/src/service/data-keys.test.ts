import { DataKeys, parseDataKeys } from './data-keys';

const keyOf = (id: string, fill: number) => `${id}:${Buffer.alloc(32, fill).toString('base64')}`;
const keysOf = (text: string) => new DataKeys(parseDataKeys(text) ?? []);

test('a sealed text reveals nothing of its content and names its key', () => {
  const keys = keysOf(keyOf('a', 1));
  const sealed = keys.seal('whsec_secret');
  expect(sealed).toMatch(/^sealed:a:[\w-]+$/);
  expect(Buffer.from(sealed.split(':')[2] ?? '', 'base64url').toString('latin1')).not.toContain(
    'whsec_',
  );
  expect(keys.seal('whsec_secret')).not.toBe(sealed);
  expect(keys.open(sealed)).toBe('whsec_secret');
});

test('the newest key seals, and older keys still open', () => {
  const before = keysOf(keyOf('a', 1)).seal('text');
  const rotated = keysOf(`${keyOf('b', 2)}, ${keyOf('a', 1)}`);
  expect(rotated.open(before)).toBe('text');
  expect(rotated.seal('text')).toMatch(/^sealed:b:/);
});

test('a text whose key is missing, or that was modified, does not open', () => {
  const sealed = keysOf(keyOf('a', 1)).seal('text');
  expect(() => keysOf(keyOf('b', 1)).open(sealed)).toThrow('No key a');
  expect(() => keysOf(keyOf('a', 2)).open(sealed)).toThrow();
  const changed = `${sealed.slice(0, 15)}${sealed[15] === 'A' ? 'B' : 'A'}${sealed.slice(16)}`;
  expect(() => keysOf(keyOf('a', 1)).open(changed)).toThrow();
});

test('a text that an earlier release stored unsealed is returned unchanged', () => {
  expect(keysOf(keyOf('a', 1)).open('whsec_plain')).toBe('whsec_plain');
});

test.each([
  ['nothing', ''],
  ['no id', Buffer.alloc(32).toString('base64')],
  ['a short key', `a:${Buffer.alloc(16).toString('base64')}`],
  ['one id twice', `${keyOf('a', 1)},${keyOf('a', 2)}`],
  ['an empty place', `${keyOf('a', 1)},`],
])('a list with %s is not a list of keys', (_what, text) => {
  expect(parseDataKeys(text)).toBeUndefined();
});
