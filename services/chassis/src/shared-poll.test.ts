import { SharedPoll } from './shared-poll';

describe('a look that several callers wait for', () => {
  const never = new AbortController().signal;

  test('is made once and seen by all of them', async () => {
    let looks = 0;
    const look = new SharedPoll(
      () => {
        looks += 1;
        return Promise.resolve('seen');
      },
      () => undefined,
    );
    const waiting = [look.join(), look.join(), look.join()];
    expect(await Promise.all(waiting.map((one) => one.within(10_000, never)))).toEqual([
      'seen',
      'seen',
      'seen',
    ]);
    expect(looks).toBe(1);
  });

  test('is abandoned when the last of them leaves, and not before', () => {
    let isAbandoned = false;
    const look = new SharedPoll(
      (abandoned) =>
        new Promise((resolve) => {
          abandoned.addEventListener('abort', () => {
            isAbandoned = true;
            resolve(undefined);
          });
        }),
      () => undefined,
    );
    look.join();
    look.join();
    look.leave();
    expect(isAbandoned).toBe(false);
    look.leave();
    expect(isAbandoned).toBe(true);
  });

  test('keeps no caller whose signal aborts', async () => {
    const gone = new AbortController();
    const look = new SharedPoll<string>(
      () => new Promise(() => undefined),
      () => undefined,
    ).join();
    const waiting = look.within(10_000, gone.signal);
    gone.abort();
    expect(await waiting).toBeUndefined();
  });
});
