import { KeyedMutex } from './keyed-mutex';

/** Work that tells its name when it starts and ends only when it is told to. */
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

/** Lets everything that can go on go on. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('turns', () => {
  test('of one key come one after another, in order', async () => {
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

  test('of other keys, or of none, do not wait', async () => {
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

  test('go on after a failure, which only its own caller sees', async () => {
    const turns = new KeyedMutex();
    const failing = work('failing', []);
    const failed = turns.runExclusive(['key'], failing.run);
    const next = turns.runExclusive(['key'], () => Promise.resolve('next'));

    failing.fail();
    await expect(failed).rejects.toThrow('failing');
    await expect(next).resolves.toBe('next');
  });

  test('of crossed keys never wait for each other', async () => {
    const turns = new KeyedMutex();
    const crossed = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
    ].map((keys, index) => turns.runExclusive(keys, () => Promise.resolve(index)));
    expect(await Promise.all(crossed)).toEqual([0, 1, 2]);
  });
});
