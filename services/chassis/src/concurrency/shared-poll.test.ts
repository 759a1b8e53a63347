import { SharedPoll } from './shared-poll';

describe('a poll shared by several callers', () => {
  const never = new AbortController().signal;

  test('runs once, and all callers get its result', async () => {
    let polls = 0;
    const poll = new SharedPoll(
      () => {
        polls += 1;
        return Promise.resolve('seen');
      },
      () => undefined,
    );
    const waiting = [poll.join(), poll.join(), poll.join()];
    expect(await Promise.all(waiting.map((one) => one.within(10_000, never)))).toEqual([
      'seen',
      'seen',
      'seen',
    ]);
    expect(polls).toBe(1);
  });

  test('is aborted when the last caller leaves, and not before', () => {
    let isAbandoned = false;
    const poll = new SharedPoll(
      (abandoned) =>
        new Promise((resolve) => {
          abandoned.addEventListener('abort', () => {
            isAbandoned = true;
            resolve(undefined);
          });
        }),
      () => undefined,
    );
    poll.join();
    poll.join();
    poll.leave();
    expect(isAbandoned).toBe(false);
    poll.leave();
    expect(isAbandoned).toBe(true);
  });

  test('returns to a caller whose signal aborts', async () => {
    const gone = new AbortController();
    const poll = new SharedPoll<string>(
      () => new Promise(() => undefined),
      () => undefined,
    ).join();
    const waiting = poll.within(10_000, gone.signal);
    gone.abort();
    expect(await waiting).toBeUndefined();
  });
});
