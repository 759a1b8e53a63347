import { startFromStat } from './identity';

const fields = (state: string) =>
  `${state} ${Array.from({ length: 18 }, (_, n) => String(n)).join(' ')} 4711 more`;

test('the start of a process includes the id of the boot', () => {
  expect(startFromStat(`42 (postgres) ${fields('S')}`, 'boot')).toBe('boot/4711');
});

test('a program name with spaces and parentheses is parsed', () => {
  expect(startFromStat(`42 (a) S (b) ${fields('R')}`, 'boot')).toBe('boot/4711');
});

test.each(['Z', 'X'])('a process in state %s has ended', (state) => {
  expect(startFromStat(`42 (postgres) ${fields(state)}`, 'boot')).toBeUndefined();
});
