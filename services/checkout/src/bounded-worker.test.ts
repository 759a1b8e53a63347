import { withinTime } from './bounded-worker';

const never = new Promise<string>(() => undefined);

test('what comes in time is the outcome, also where it fails', async () => {
  expect(await withinTime(1_000, Promise.resolve('done'))).toBe('done');
  await expect(withinTime(1_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
});

test('what takes longer is waited for no more', async () => {
  await expect(withinTime(1, never)).rejects.toMatchObject({
    kind: 'unavailable',
    reason: 'STILL_UNDER_WAY',
  });
});
