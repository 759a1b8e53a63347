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
    wake: (series: readonly { readonly k: string }[], minutes = 0) =>
      wakes.wake(series, new Date(start + minutes * minute)),
    flush: (series: readonly { readonly k: string }[]) =>
      wakes.beforeFlush(
        series.flatMap((document) => [{ document }, { document }]),
        new Date(start),
      ),
  };
}

test('a series is woken by its first request, and again after 50 minutes', async () => {
  const { written, wake } = wakesOf();
  const one = aSeries();
  await wake([one]);
  await wake([one], 49);
  expect(written).toEqual([`wake ${one.k}`]);
  await wake([one], 50);
  expect(written).toEqual([`wake ${one.k}`, `wake ${one.k}`]);
});

test('a series is folded after each 64 flushes, however many requests they store', async () => {
  const { written, wake, flush } = wakesOf();
  const [busy, quiet] = [aSeries(), aSeries()];
  await wake([quiet, busy]);
  await flush([quiet]);
  for (let flushes = 0; flushes < 130; flushes += 1) {
    for (let requests = 0; requests < 5; requests += 1) await wake([busy]);
    await flush([busy]);
  }
  const request = `request ${busy.k}`;
  expect(written).toEqual([`wake ${quiet.k}`, `wake ${busy.k}`, request, request]);
});

test('a wake that fails is tried again by the next request', async () => {
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
  await expect(wakes.wake([one], new Date(start))).rejects.toThrow('Broken');
  isBroken = false;
  await wakes.wake([one], new Date(start));
  expect(woken).toEqual([one.k]);
});

test('the cache is bounded: an evicted series is woken again', async () => {
  const { written, wake } = wakesOf(2);
  const [first, second, third] = [aSeries(), aSeries(), aSeries()];
  await wake([first]);
  await wake([second]);
  await wake([third]);
  await wake([first]);
  expect(written).toEqual([first, second, third, first].map(({ k }) => `wake ${k}`));
});
