import { parseArgs } from 'node:util';
import { exitStatusOf, messageOf, wrongUsage } from './check';

const failed = async (url: string): Promise<unknown> => fetch(url).catch((error: unknown) => error);

function unknownFlag(): unknown {
  try {
    return parseArgs({ args: ['--other'], options: {} });
  } catch (error) {
    return error;
  }
}

describe('a check that cannot be made', () => {
  test.each<[string, unknown, number]>([
    ['an unknown flag', unknownFlag(), 2],
    ['missing flags', wrongUsage('--url is required'), 2],
    [
      'a service that is unavailable',
      Object.assign(new Error('Down'), { kind: 'unavailable' }),
      75,
    ],
    ['a call that is not answered', Object.assign(new Error('14 UNAVAILABLE'), { code: 14 }), 75],
    ['a call that is refused', Object.assign(new Error('7 PERMISSION_DENIED'), { code: 7 }), 70],
    ['another error', new Error('broken'), 70],
    ['something that is no error', 'broken', 70],
  ])('exits after %s with its status', (_name, error, status) => {
    expect(exitStatusOf(error)).toBe(status);
  });

  test('exits with 75 if no system listens at the address', async () => {
    // No process is given this port, and fetch does not block it.
    const error = await failed('http://127.0.0.1:2/');
    expect(exitStatusOf(error)).toBe(75);
    expect(messageOf(error)).toContain('ECONNREFUSED');
  });

  test('has its message and causes in one line', () => {
    const error = new Error('check failed\nsecond line', { cause: new Error('no answer') });
    expect(messageOf(error)).toBe('check failed: no answer');
    expect(messageOf('text')).toBe('text');
  });
});
