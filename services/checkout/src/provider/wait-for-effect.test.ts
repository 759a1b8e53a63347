import { systemClock } from '@billing/chassis/clock';
import { waitForEffect } from './wait-for-effect';

const never = new Promise<string>(() => undefined);

describe('an effect of a stored decision', () => {
  const context = (msLeft: number) => ({ deadline: new Date(Date.now() + msLeft) });

  test('is awaited, and may fail', async () => {
    let isThere = false as boolean;
    const effect = Promise.resolve().then(() => {
      isThere = true;
    });
    await waitForEffect(effect, context(60_000), systemClock);
    expect(isThere).toBe(true);
    const failure = Promise.reject(new Error('no'));
    await expect(waitForEffect(failure, context(60_000), systemClock)).resolves.toBeUndefined();
  });

  test('is no longer awaited when the call has to answer', async () => {
    await expect(waitForEffect(never, context(1), systemClock)).resolves.toBeUndefined();
  });
});
