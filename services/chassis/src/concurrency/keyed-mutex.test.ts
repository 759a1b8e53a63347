import { KeyedMutex } from './keyed-mutex';

/** Work that records its name when it starts and ends when the test says so. */
function work(name: string, started: string[]) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return {
    run: () => {
      started.push(name);
      return promise;
    },
    end: () => {
      resolve(name);
    },
    fail: () => {
      reject(new Error(name));
    },
  };
}

/** Lets everything run that can run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('a keyed mutex', () => {
  test('runs work of one key one at a time, in order', async () => {
    const turns = new KeyedMutex();
    const started: string[] = [];
    const works = ['first', 'second', 'third'].map((name) => work(name, started));
    const all = works.map(({ run }) => turns.runExclusive(['key'], run));

    await settle();
    expect(started).toEqual(['first']);
    works[0]?.end();
    await settle();
    expect(started).toEqual(['first', 'second']);
    works[1]?.end();
    works[2]?.end();
    expect(await Promise.all(all)).toEqual(['first', 'second', 'third']);
  });

  test('does not delay work of other keys, or of none', async () => {
    const turns = new KeyedMutex();
    const slow = work('slow', []);
    const waiting = turns.runExclusive(['one'], slow.run);

    await expect(turns.runExclusive(['other'], () => Promise.resolve('done'))).resolves.toBe(
      'done',
    );
    await expect(turns.runExclusive([], () => Promise.resolve('done'))).resolves.toBe('done');
    slow.end();
    await waiting;
  });

  test('continues after a failure, which only its own caller sees', async () => {
    const turns = new KeyedMutex();
    const failing = work('failing', []);
    const failed = turns.runExclusive(['key'], failing.run);
    const next = turns.runExclusive(['key'], () => Promise.resolve('next'));

    failing.fail();
    await expect(failed).rejects.toThrow('failing');
    await expect(next).resolves.toBe('next');
  });

  test('never deadlocks work with overlapping keys', async () => {
    const turns = new KeyedMutex();
    const crossed = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
    ].map((keys, index) => turns.runExclusive(keys, () => Promise.resolve(index)));
    expect(await Promise.all(crossed)).toEqual([0, 1, 2]);
  });
});
