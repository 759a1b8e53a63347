import { requireCounted } from './require-counted';

/** A check that succeeds with a certain query. */
function waits(countedAt: number) {
  const waited: number[] = [];
  let queries = 0;
  const counted = {
    includes: () => {
      queries += 1;
      return Promise.resolve(queries >= countedAt);
    },
  };
  const sleep = (ms: number) => {
    waited.push(ms);
    return Promise.resolve();
  };
  return { waited, require: () => requireCounted([], { counted, sleep }) };
}

test('events that count are acknowledged without a wait', async () => {
  const { waited, require } = waits(1);
  await require();
  expect(waited).toEqual([]);
});

test('each wait for events that do not count yet is twice as long as the one before', async () => {
  const { waited, require } = waits(4);
  await require();
  expect(waited).toEqual([50, 100, 200]);
});

test('events that do not count after two seconds are refused', async () => {
  const { waited, require } = waits(Infinity);
  await expect(require()).rejects.toMatchObject({ reason: 'EVENT_NOT_COUNTED' });
  expect(waited.reduce((sum, ms) => sum + ms)).toBe(2_000);
  expect(waited).toHaveLength(6);
});
