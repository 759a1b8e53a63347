import { PasswordResetLimits } from './password-reset-limits';

const now = new Date('2026-03-01T12:00:00Z');
const { signal } = new AbortController();

describe('the limits of password resets', () => {
  test('admit ten posts of a network a minute, and those of others', () => {
    const limits = new PasswordResetLimits();
    const admit = (network: string, at = now) => {
      limits.admit(network, at);
    };
    for (let count = 0; count < 10; count += 1) admit('192.0.2.1');
    expect(() => {
      admit('192.0.2.1');
    }).toThrow(expect.objectContaining({ status: 429, headers: { 'Retry-After': '6' } }));
    admit('192.0.2.2');
    admit('192.0.2.1', new Date(now.getTime() + 6_000));
  });

  test('run four works at a time, let 32 wait and drop the others', async () => {
    const limits = new PasswordResetLimits();
    const { promise: released, resolve: release } = Promise.withResolvers<undefined>();
    let begun = 0;
    const works = Array.from({ length: 40 }, () =>
      limits.run(async () => {
        begun += 1;
        await released;
      }, signal),
    );
    const ended = Promise.allSettled(works);
    expect(begun).toBe(4);
    release(undefined);
    const dropped = (await ended).filter(({ status }) => status === 'rejected');
    expect([begun, dropped.length]).toEqual([36, 4]);
  });
});
