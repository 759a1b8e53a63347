import type { CallContext } from '@billing/chassis/call-context';
import { testContext } from '@billing/chassis/testing';
import { systemClock } from '@billing/chassis/clock';
import type { Peers } from '../peer/peers';
import { type ExportContext, pagesOf, type ReadPage } from './resource-pages';
import type { Row } from './row-format';

const exported: ExportContext = {
  peers: {} as Peers,
  context: testContext(),
  clock: systemClock,
  signal: new AbortController().signal,
};

/** Reads all rows, without the waits between attempts. */
async function rowsOf(read: ReadPage<number>): Promise<Row[]> {
  const rows: Row[] = [];
  const reading = (async () => {
    for await (const page of pagesOf(read, exported)) rows.push(...page);
  })();
  reading.catch(() => undefined);
  await jest.runAllTimersAsync();
  await reading;
  return rows;
}

/** Three pages, the second one empty; fails the given number of times before each of them. */
function threePages(failures: number) {
  let failed = 0;
  const contexts: CallContext[] = [];
  const read: ReadPage<number> = (after = 0, context) => {
    contexts.push(context);
    if (failed < failures) {
      failed += 1;
      return Promise.reject(new Error('Not now'));
    }
    failed = 0;
    const rows = after === 1 ? [] : [{ id: after }];
    return Promise.resolve({ rows, next: after === 2 ? undefined : after + 1 });
  };
  return { read, contexts };
}

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

describe('the pages of a resource', () => {
  test('are read until the last one', async () => {
    const { read } = threePages(0);
    expect(await rowsOf(read)).toEqual([{ id: 0 }, { id: 2 }]);
  });

  test('are each tried five times, with a deadline of its own for each attempt', async () => {
    const { read, contexts } = threePages(4);
    expect(await rowsOf(read)).toEqual([{ id: 0 }, { id: 2 }]);
    expect(contexts).toHaveLength(15);
    const deadlines = contexts.map(({ deadline }) => deadline.getTime());
    expect(new Set(deadlines).size).toBeGreaterThan(1);
  });

  test('fail with the fifth failure of one of them', async () => {
    const { read, contexts } = threePages(5);
    await expect(rowsOf(read)).rejects.toThrow('Not now');
    expect(contexts).toHaveLength(5);
  });

  test('end when the reader leaves', async () => {
    const leaving = new AbortController();
    const { read, contexts } = threePages(0);
    const pages = pagesOf(read, { ...exported, signal: leaving.signal });
    await pages.next();
    leaving.abort();
    await expect(pages.next()).rejects.toThrow();
    expect(contexts).toHaveLength(1);
  });
});
