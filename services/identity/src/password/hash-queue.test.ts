import { HashQueue } from './hash-queue';

const never = new AbortController().signal;
const ample = { perAddressMax: 100 };

/** Work that ends on request. */
function gates() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      started.push(name);
      ends.set(name, () => {
        resolve(name);
      });
    });
  const end = (name: string) => ends.get(name)?.();
  return { started, work, end };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a few jobs run at a time, the others in the order of their arrival', async () => {
  const queue = new HashQueue({ runningMax: 2, waitingMax: 5, ...ample });
  const { started, work, end } = gates();
  const all = ['a', 'b', 'c', 'd'].map((name) => queue.run(work(name), never));
  await settled();
  expect(started).toEqual(['a', 'b']);
  end('b');
  await settled();
  expect(started).toEqual(['a', 'b', 'c']);
  for (const name of ['a', 'c']) end(name);
  await settled();
  end('d');
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
});

test('a job beyond the limit of the queue is refused immediately', async () => {
  const queue = new HashQueue({ runningMax: 1, waitingMax: 1, ...ample });
  const { started, work, end } = gates();
  const all = [queue.run(work('a'), never), queue.run(work('b'), never)];
  await expect(queue.run(work('c'), never)).rejects.toMatchObject({
    kind: 'unavailable',
    reason: 'TOO_MANY_PASSWORDS',
  });
  end('a');
  await settled();
  end('b');
  await Promise.all(all);
  expect(started).toEqual(['a', 'b']);
});

test('a job whose caller has gone leaves the queue and makes room', async () => {
  const queue = new HashQueue({ runningMax: 1, waitingMax: 1, ...ample });
  const { started, work, end } = gates();
  const first = queue.run(work('a'), never);
  const leaving = new AbortController();
  const gone = queue.run(work('b'), leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(gone).rejects.toThrow('gone');
  const third = queue.run(work('c'), never);
  end('a');
  await settled();
  end('c');
  expect(await Promise.all([first, third])).toEqual(['a', 'c']);
  expect(started).toEqual(['a', 'c']);
});

test('a job whose caller had gone before never runs, and a failed job frees its place', async () => {
  const queue = new HashQueue({ runningMax: 1, waitingMax: 1, ...ample });
  await expect(
    queue.run(() => Promise.resolve(), AbortSignal.abort(new Error('gone'))),
  ).rejects.toThrow('gone');
  await expect(queue.run(() => Promise.reject(new Error('broken')), never)).rejects.toThrow(
    'broken',
  );
  expect(await queue.run(() => Promise.resolve('next'), never)).toBe('next');
});

/** The attempt of a stranger, which hashes a password. */
const attempt = (queue: HashQueue, job: () => Promise<string>, email: string) =>
  queue.runForStranger(email, () => queue.run(job, never), never);

test('a known caller is next after the running jobs, and finds room when strangers fill their queue', async () => {
  const queue = new HashQueue({ runningMax: 1, waitingMax: 2, ...ample });
  const { started, work, end } = gates();
  const strangers = ['a', 'b', 'c'].map((name) => attempt(queue, work(name), name));
  await expect(attempt(queue, work('d'), 'd')).rejects.toThrow('Service unavailable');
  const known = queue.run(work('owner'), never);
  await settled();
  expect(started).toEqual(['a']);
  end('a');
  await settled();
  expect(started).toEqual(['a', 'owner']);
  for (const name of ['owner', 'b', 'c']) {
    end(name);
    await settled();
  }
  expect(await Promise.all([...strangers, known])).toEqual(['a', 'b', 'c', 'owner']);
});

test('strangers who try one address leave room for those who try others', async () => {
  const queue = new HashQueue({ runningMax: 1, waitingMax: 9, perAddressMax: 2 });
  const { work, end } = gates();
  const all = ['a', 'b'].map((name) => attempt(queue, work(name), 'owner@example.com'));
  await expect(attempt(queue, work('c'), 'owner@example.com')).rejects.toMatchObject({
    kind: 'unavailable',
    reason: 'TOO_MANY_PASSWORDS',
  });
  all.push(attempt(queue, work('d'), 'viewer@example.com'));
  for (const name of ['a', 'b', 'd']) {
    end(name);
    await settled();
  }
  expect(await Promise.all(all)).toEqual(['a', 'b', 'd']);
});
