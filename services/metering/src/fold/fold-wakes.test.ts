import { newId } from '@billing/chassis/ids';
import { FoldWakes } from './fold-wakes';

const start = new Date('2026-03-01T10:00:00Z').getTime();
const minute = 60_000;

function aSeries(): { readonly k: string } {
  return { k: newId() };
}

/** Wakes that a test can read. */
function wakesOf(seriesMax = 100) {
  const written: string[] = [];
  const wakes = new FoldWakes(
    {
      wake: async (woken) => {
        written.push(...woken.map(({ k }) => `wake ${k}`));
      },
      request: async (keys) => {
        written.push(...keys.map((k) => `request ${k}`));
      },
    },
    seriesMax,
  );
  return {
    written,
    flush: (series: readonly { readonly k: string }[], minutes = 0) =>
      wakes.beforeFlush(series, new Date(start + minutes * minute)),
  };
}

test('a series is woken by its first flush, and again after 50 minutes', async () => {
  const { written, flush } = wakesOf();
  const one = aSeries();
  await flush([one]);
  await flush([one], 49);
  expect(written).toEqual([`wake ${one.k}`]);
  await flush([one], 50);
  expect(written).toEqual([`wake ${one.k}`, `wake ${one.k}`]);
});

test('a series is folded after each 64 flushes', async () => {
  const { written, flush } = wakesOf();
  const [busy, quiet] = [aSeries(), aSeries()];
  await flush([quiet]);
  for (let flushes = 0; flushes < 130; flushes += 1) await flush([busy]);
  const request = `request ${busy.k}`;
  expect(written).toEqual([`wake ${quiet.k}`, `wake ${busy.k}`, request, request]);
});

test('a wake that fails is tried again by the next flush', async () => {
  let isBroken = true;
  const woken: string[] = [];
  const wakes = new FoldWakes(
    {
      wake: async (series) => {
        if (isBroken) throw new Error('Broken');
        woken.push(...series.map(({ k }) => k));
      },
      request: async () => undefined,
    },
    100,
  );
  const one = aSeries();
  await expect(wakes.beforeFlush([one], new Date(start))).rejects.toThrow('Broken');
  isBroken = false;
  await wakes.beforeFlush([one], new Date(start));
  expect(woken).toEqual([one.k]);
});

test('the cache is bounded: an evicted series is woken again', async () => {
  const { written, flush } = wakesOf(2);
  const [first, second, third] = [aSeries(), aSeries(), aSeries()];
  await flush([first]);
  await flush([second]);
  await flush([third]);
  await flush([first]);
  expect(written).toEqual([first, second, third, first].map(({ k }) => `wake ${k}`));
});
