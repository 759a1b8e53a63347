import { startFromStat } from './process-identity';

const fields = (state: string) =>
  `${state} ${Array.from({ length: 18 }, (_, n) => String(n)).join(' ')} 4711 more`;

test('the start of a process belongs to the boot it counts from', () => {
  expect(startFromStat(`42 (postgres) ${fields('S')}`, 'boot')).toBe('boot/4711');
});

test('a program may have spaces and parentheses in its name', () => {
  expect(startFromStat(`42 (a) S (b) ${fields('R')}`, 'boot')).toBe('boot/4711');
});

test.each(['Z', 'X'])('a process in state %s is none any more', (state) => {
  expect(startFromStat(`42 (postgres) ${fields(state)}`, 'boot')).toBeUndefined();
});
