import { Batcher, type Outcome } from './batcher';

/** Batches that end when the test says so. */
function openBatches({ batchMax = 10, flushesMax = 1, isGrouped = false } = {}) {
  const batches: { items: readonly string[]; end: (error?: Error) => void }[] = [];
  const coalescer = new Batcher<string, string>({
    batchMax,
    flushesMax,
    // The key is the letter of the item.
    [isGrouped ? 'groupOf' : 'keyOf']: (item: string) => item.replace(/\d/g, ''),
    flush: (items) =>
      new Promise((resolve, reject) => {
        const end = (error?: Error) => {
          if (error === undefined) resolve(items.map(outcomeOf));
          else reject(error);
        };
        batches.push({ items, end });
      }),
  });
  return { coalescer, batches };
}

function outcomeOf(item: string): Outcome<string> {
  return item.startsWith('bad') ? { error: new Error(item) } : { value: item.toUpperCase() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('a batcher', () => {
  test('sends items that arrive together in one batch, and items that arrive during a batch in the next', async () => {
    const { coalescer, batches } = openBatches();
    const first = [coalescer.run('a'), coalescer.run('b')];
    await turn();
    const second = [coalescer.run('c'), coalescer.run('d')];
    await turn();
    expect(batches.map(({ items }) => items)).toEqual([['a', 'b']]);
    batches[0]!.end();
    expect(await Promise.all(first)).toEqual(['A', 'B']);
    await turn();
    expect(batches[1]!.items).toEqual(['c', 'd']);
    batches[1]!.end();
    expect(await Promise.all(second)).toEqual(['C', 'D']);
  });

  test('never has two items of one key in flight', async () => {
    const { coalescer, batches } = openBatches({ flushesMax: 2 });
    const all = [coalescer.run('a1'), coalescer.run('a2'), coalescer.run('b')];
    await turn();
    expect(batches.map(({ items }) => items)).toEqual([['a1', 'b']]);
    batches[0]!.end();
    await turn();
    expect(batches[1]!.items).toEqual(['a2']);
    batches[1]!.end();
    expect(await Promise.all(all)).toEqual(['A1', 'A2', 'B']);
  });

  test('never mixes items of different groups in one batch', async () => {
    const batches: string[] = [];
    const coalescer = new Batcher<string, string>({
      batchMax: 10,
      flushesMax: 1,
      groupOf: (item) => item.charAt(0),
      flush: async (items) => {
        batches.push(items.join(' '));
        return items.map(outcomeOf);
      },
    });
    await Promise.all(['a1', 'b1', 'a2', 'b2', 'c1'].map((item) => coalescer.run(item)));
    expect(batches).toEqual(['a1 a2', 'b1 b2', 'c1']);
  });

  test("does not hold up a group because of another group's batches", async () => {
    const { coalescer, batches } = openBatches({ isGrouped: true });
    const hanging = coalescer.run('a1');
    await turn();
    const later = [coalescer.run('a2'), coalescer.run('a3'), coalescer.run('b1')];
    await turn();
    expect(batches.map(({ items }) => items)).toEqual([['a1'], ['b1']]);
    batches[1]!.end();
    expect(await later[2]).toBe('B1');
    batches[0]!.end();
    expect(await hanging).toBe('A1');
    await turn();
    expect(batches[2]!.items).toEqual(['a2', 'a3']);
    batches[2]!.end();
    expect(await Promise.all(later)).toEqual(['A2', 'A3', 'B1']);
  });

  test('bounds the size and number of batches, and loses no item', async () => {
    const { coalescer, batches } = openBatches({ batchMax: 2, flushesMax: 2 });
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((item) => coalescer.run(item));
    await turn();
    expect(batches.map(({ items }) => items.join(''))).toEqual(['ab', 'cd']);
    for (let index = 0; index < 4; index += 1) {
      batches[index]!.end();
      await turn();
    }
    expect((await Promise.all(all)).join('')).toBe('ABCDEFG');
    expect(batches).toHaveLength(4);
  });

  test('rejects a single failed item alone, and all items of a batch that failed as a whole', async () => {
    const { coalescer, batches } = openBatches();
    const single = Promise.allSettled([coalescer.run('bad'), coalescer.run('b')]);
    await turn();
    batches[0]!.end();
    expect(await single).toMatchObject([{ status: 'rejected' }, { value: 'B' }]);
    const whole = Promise.allSettled([coalescer.run('c'), coalescer.run('d')]);
    await turn();
    batches[1]!.end(new Error('lost'));
    expect(await whole).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }]);
    const after = coalescer.run('e');
    await turn();
    batches[2]!.end();
    expect(await after).toBe('E');
  });
});
