import { type Command, goKeys, type KeyPress, resultOf } from './keys';

const press = (key: string, fields: Partial<KeyPress> = {}): KeyPress => ({
  key,
  isControl: false,
  isAlt: false,
  focus: 'PAGE',
  atMs: 10_000,
  hasSingleKeys: true,
  ...fields,
});

describe('a key', () => {
  test.each<[string, KeyPress, Command]>([
    ['Ctrl-K opens the palette', press('k', { isControl: true }), { kind: 'PALETTE' }],
    [
      'Ctrl-K opens the palette from a field',
      press('K', { isControl: true, focus: 'FIELD' }),
      { kind: 'PALETTE' },
    ],
    ['/ focuses the filter', press('/'), { kind: 'FILTER' }],
    ['? lists the shortcuts', press('?'), { kind: 'SHORTCUTS' }],
    ['down moves to the next row', press('ArrowDown'), { kind: 'MOVE', by: 1 }],
    ['up moves to the row before', press('ArrowUp'), { kind: 'MOVE', by: -1 }],
    [
      'arrows work without single keys',
      press('ArrowDown', { hasSingleKeys: false }),
      { kind: 'MOVE', by: 1 },
    ],
  ])('%s', (_case, key, command) => {
    expect(resultOf(key, undefined)).toEqual({ command });
  });

  test.each<[string, KeyPress]>([
    ['a letter without a shortcut', press('x')],
    ['/ in a field', press('/', { focus: 'FIELD' })],
    ['? in a dialog', press('?', { focus: 'DIALOG' })],
    ['an arrow in a field', press('ArrowDown', { focus: 'FIELD' })],
    ['Ctrl-K in a dialog', press('k', { isControl: true, focus: 'DIALOG' })],
    ['Ctrl-Alt-K', press('k', { isControl: true, isAlt: true })],
    ['another key with Control', press('/', { isControl: true })],
    ['a key with Alt', press('/', { isAlt: true })],
    ['/ while single keys are off', press('/', { hasSingleKeys: false })],
    ['g while single keys are off', press('g', { hasSingleKeys: false })],
  ])('%s does nothing', (_case, key) => {
    expect(resultOf(key, undefined)).toEqual({});
  });
});

describe('g followed by a letter', () => {
  const { goSinceMs } = resultOf(press('g'), undefined);

  test.each(Object.entries(goKeys))('%s opens its page', (key, { path }) => {
    const result = resultOf(press(key, { atMs: 11_000 }), goSinceMs);
    expect(result).toEqual({ command: { kind: 'GO', path } });
  });

  test.each([
    ['after a pause', press('c', { atMs: 12_000 })],
    ['without a page', press('x')],
    ['typed into a field', press('c', { focus: 'FIELD' })],
    ['named like an inherited field', press('constructor')],
  ])('%s does nothing', (_case, key) => {
    expect(resultOf(key, goSinceMs)).toEqual({});
  });

  test('begins again with another g after a pause', () => {
    expect(resultOf(press('g', { atMs: 20_000 }), goSinceMs)).toEqual({ goSinceMs: 20_000 });
  });
});
