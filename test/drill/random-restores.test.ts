import { isNightly } from '../support/rounds';
import { RandomRestores } from './random-restores';

// As many seeds as two hours hold, or a few.
const hoursMs = 2 * 60 * 60_000;
const { RESTORE_SEED, RESTORE_ROUNDS = isNightly ? 'Infinity' : '1' } = process.env;
const firstSeed = Number(RESTORE_SEED ?? Date.now() % 1_000_000);

jest.setTimeout(hoursMs + 3_600_000);

test('a restore after random acts loses no money and doubles none', async () => {
  const restores = new RandomRestores();
  const startedAt = performance.now();
  const failed: number[] = [];
  let seed = firstSeed;
  for (; seed < firstSeed + Number(RESTORE_ROUNDS); seed += 1) {
    if (performance.now() - startedAt > hoursMs) break;
    if ((await restores.failureOf(seed)) !== undefined) failed.push(seed);
  }
  await restores.end();
  process.stderr.write(`Restored ${String(seed - firstSeed)} seeds from ${String(firstSeed)} on\n`);
  expect(failed).toEqual([]);
});
