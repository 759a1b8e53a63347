import { newId } from '@billing/chassis/ids';
import { randomOf } from '../testing/scheduler';
import { FoldWakes, seriesMax } from './fold-wakes';

const start = new Date('2026-03-01T10:00:00Z').getTime();
const minute = 60_000;

function aSeries(): { readonly k: string } {
  return { k: newId() };
}

/** Wakes that a test can read. */
function wakesOf(cachedMax = 100, randomByte = () => 0) {
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
    randomByte,
    cachedMax,
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
    () => 0,
  );
  const one = aSeries();
  await expect(wakes.wake([one], new Date(start))).rejects.toThrow('Broken');
  isBroken = false;
  await wakes.wake([one], new Date(start));
  expect(woken).toEqual([one.k]);
});

test('the cache is bounded: the series that was not used for longest is woken again', async () => {
  const { written, wake } = wakesOf(2);
  const [first, second, third] = [aSeries(), aSeries(), aSeries()];
  for (const one of [first, second, first, third, first, second]) await wake([one]);
  expect(written).toEqual([first, second, third, second].map(({ k }) => `wake ${k}`));
});

async function rotate(
  { wake, flush }: ReturnType<typeof wakesOf>,
  { series, rounds }: { readonly series: number; readonly rounds: number },
): Promise<void> {
  const all = Array.from({ length: series }, aSeries);
  for (let round = 0; round < rounds; round += 1) {
    for (let start = 0; start < series; start += 1_000) {
      const some = all.slice(start, start + 1_000);
      await wake(some);
      await flush(some);
    }
  }
}

function countOf(written: readonly string[], kind: 'wake' | 'request'): number {
  return written.filter((one) => one.startsWith(kind)).length;
}

test('60,000 series in rotation are woken once each, and their flushes are counted', async () => {
  const wakes = wakesOf(seriesMax, () => 61);
  await rotate(wakes, { series: 60_000, rounds: 3 });
  expect(countOf(wakes.written, 'wake')).toBe(60_000);
  expect(countOf(wakes.written, 'request')).toBe(60_000);
});

test('more series in rotation than are cached are folded after 64 flushes on average', async () => {
  const random = randomOf(1);
  const wakes = wakesOf(1_000, () => random(256));
  await rotate(wakes, { series: 2_000, rounds: 64 });
  expect(countOf(wakes.written, 'wake')).toBe(2_000 * 64);
  const requests = countOf(wakes.written, 'request');
  expect(requests).toBeGreaterThan(1_700);
  expect(requests).toBeLessThan(2_300);
});
