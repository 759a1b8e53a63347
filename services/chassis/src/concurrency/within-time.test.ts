import { withinTime } from './within-time';

const never = new Promise<string>(() => undefined);

test('work that ends in time returns its outcome, including a failure', async () => {
  expect(await withinTime(1_000, Promise.resolve('done'))).toBe('done');
  await expect(withinTime(1_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('work that exceeds the limit is no longer awaited', async () => {
  await expect(withinTime(1, never)).rejects.toMatchObject({
    kind: 'unavailable',
    reason: 'STILL_UNDER_WAY',
  });
});
