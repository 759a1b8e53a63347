import { type FlushResult, IngestQueue } from './ingest-queue';

const admit = () => undefined;
const turn = () => new Promise((resolve) => setImmediate(resolve));

const storedAs = (items: readonly number[]) => new Map(items.map((item) => [item, String(item)]));

/** A store that replies when the test says so. */
function slowStore() {
  const flushed: number[][] = [];
  const answers: ((flushed: FlushResult<number, string>) => void)[] = [];
  const flush = (items: readonly number[]) => {
    flushed.push([...items]);
    return new Promise<FlushResult<number, string>>((resolve) => answers.push(resolve));
  };
  const answer = (...duplicates: number[]) =>
    answers.shift()?.({ repeats: storedAs(duplicates), failed: new Map() });
  return { flushed, flush, answer };
}

test('requests that arrive while the database is busy are sent together, each in one command', async () => {
  const { flushed, flush, answer } = slowStore();
  const queue = new IngestQueue<number, string>({
    flush,
    batchMax: 3,
    flushesMax: 1,
    itemsMax: 10,
    spacingMs: 0,
  });
  const first = queue.store([1], admit);
  await turn();
  expect(flushed).toEqual([[1]]);
  const others = [[2], [3, 4], [5, 6]].map((items) => queue.store(items, admit));
  answer();
  await first;
  await turn();
  expect(flushed).toEqual([[1], [2, 3, 4]]);
  answer(3);
  expect(await others[0]).toEqual(storedAs([3]));
  await turn();
  answer();
  await Promise.all(others);
  expect(flushed).toEqual([[1], [2, 3, 4], [5, 6]]);
});

test('requests over the limit are refused, and accepted again once there is room', async () => {
  const { flush, answer } = slowStore();
  const queue = new IngestQueue<number, string>({
    flush,
    batchMax: 3,
    flushesMax: 1,
    itemsMax: 3,
    spacingMs: 0,
  });
  const first = queue.store([1, 2, 3], admit);
  await expect(queue.store([4], admit)).rejects.toMatchObject({ kind: 'resource_exhausted' });
  await turn();
  answer();
  await first;
  const next = queue.store([4], admit);
  await turn();
  answer();
  expect(await next).toEqual(new Map());
});

test('a request past its deadline is not sent, and a failed request leaves the queue usable', async () => {
  const { flushed, flush, answer } = slowStore();
  const queue = new IngestQueue<number, string>({
    flush,
    batchMax: 3,
    flushesMax: 1,
    itemsMax: 9,
    spacingMs: 0,
  });
  const first = queue.store([1], admit);
  await turn();
  const late = queue.store([2], () => {
    throw new Error('Too late');
  });
  const other = queue.store([3], admit);
  const refused = expect(late).rejects.toThrow('Too late');
  answer();
  await first;
  await turn();
  answer();
  await Promise.all([refused, other]);
  expect(flushed).toEqual([[1], [3]]);
  const failing = new IngestQueue<number, string>({
    flush: () => Promise.reject(new Error('No database')),
    batchMax: 1,
    flushesMax: 1,
    itemsMax: 1,
    spacingMs: 0,
  });
  await expect(failing.store([1], admit)).rejects.toThrow('No database');
  await expect(failing.store([2], admit)).rejects.toThrow('No database');
});

test('an item that cannot be stored fails only its own request', async () => {
  const flushes: number[][] = [];
  const error = new Error('Too large');
  const queue = new IngestQueue<number, string>({
    flush: async (items) => {
      flushes.push([...items]);
      return { repeats: storedAs([2]), failed: new Map(items.includes(4) ? [[4, error]] : []) };
    },
    batchMax: 10,
    flushesMax: 1,
    itemsMax: 10,
    spacingMs: 0,
  });
  const requests = [[1], [2, 3], [4, 5], [6]].map((items) => queue.store(items, admit));
  const outcomes = await Promise.allSettled(requests);
  expect(flushes).toEqual([[1, 2, 3, 4, 5, 6]]);
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(outcomes[2]).toEqual({ status: 'rejected', reason: error });
});
