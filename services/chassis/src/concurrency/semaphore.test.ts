import { Semaphore } from './semaphore';

/** Lets everything run that can run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('a semaphore with two slots', () => {
  const started: number[] = [];
  const calls = Array.from({ length: 5 }, () => Promise.withResolvers<string>());
  const slots = new Semaphore(2);
  const outcomes = Promise.allSettled(
    calls.map(({ promise }, index) =>
      slots.run(() => {
        started.push(index);
        return promise;
      }),
    ),
  );

  test('grants the first two calls a slot immediately', async () => {
    await settle();
    expect(started).toEqual([0, 1]);
  });

  test('grants the next call the slot of one that failed, and so on in order', async () => {
    calls[1]?.reject(new Error('refused'));
    await settle();
    expect(started).toEqual([0, 1, 2]);
    calls[0]?.resolve('first');
    calls[2]?.resolve('third');
    await settle();
    expect(started).toEqual([0, 1, 2, 3, 4]);
  });

  test("returns each call's own outcome and frees both slots", async () => {
    calls[3]?.resolve('fourth');
    calls[4]?.resolve('fifth');
    expect((await outcomes).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    const again: number[] = [];
    for (const index of [0, 1, 2])
      void slots.run(() => calls[0]!.promise.then(() => again.push(index)));
    await settle();
    expect(again).toEqual([0, 1, 2]);
  });

  test('removes a waiting call from the queue when its signal aborts', async () => {
    const line = new Semaphore(1);
    const running = Promise.withResolvers<string>();
    const first = line.run(() => running.promise);
    const impatient = new AbortController();
    const second = line.run(() => Promise.resolve('second'), impatient.signal);
    const third = line.run(() => Promise.resolve('third'));
    impatient.abort(new Error('No longer wanted'));
    await expect(second).rejects.toThrow('No longer wanted');
    expect(line.inUse).toBe(1);
    running.resolve('first');
    expect(await Promise.all([first, third])).toEqual(['first', 'third']);
    expect(line.inUse).toBe(0);
  });

  test('refuses a call immediately whose queue is full, until a waiting one has left', async () => {
    const line = new Semaphore(1, { waitingMax: 1, refusal: () => new Error('Full') });
    const running = Promise.withResolvers<string>();
    const first = line.run(() => running.promise);
    const impatient = new AbortController();
    const second = line.run(() => Promise.resolve('second'), impatient.signal);
    await expect(line.run(() => Promise.resolve('third'))).rejects.toThrow('Full');
    impatient.abort(new Error('No longer wanted'));
    await expect(second).rejects.toThrow('No longer wanted');
    const fourth = line.run(() => Promise.resolve('fourth'));
    running.resolve('first');
    expect(await Promise.all([first, fourth])).toEqual(['first', 'fourth']);
    expect(line.inUse).toBe(0);
  });

  test('never runs more calls concurrently', async () => {
    let underWay = 0;
    let most = 0;
    const line = new Semaphore(3);
    await Promise.all(
      Array.from({ length: 50 }, () =>
        line.run(async () => {
          underWay += 1;
          most = Math.max(most, underWay);
          await settle();
          underWay -= 1;
        }),
      ),
    );
    expect(most).toBe(3);
  });
});
