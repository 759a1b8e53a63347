import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DomainError } from '@billing/kernel/domain-error';
import { createLogger, droppedLogLines, type Logger, withRequestId } from './logging';
import { currentTraceId, inSpan, startTracing } from './tracing';

type Line = Record<string, unknown>;

let folder: string;
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'logging-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Returns the parsed lines that a logger of level `info` writes while `act` runs. */
async function linesOf(act: (logger: Logger) => void | Promise<void>): Promise<Line[]> {
  const file = join(folder, `${String((count += 1))}.log`);
  const logger = createLogger({ service: 'catalog', level: 'info', file });
  await act(logger);
  await new Promise<void>((resolve, reject) => {
    logger.flush((error) => {
      if (error) reject(error);
      else resolve();
    });
  });
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

describe('a log line', () => {
  test('names its service, level and time', async () => {
    const [line] = await linesOf((logger) => {
      logger.info({ productId: 'p1' }, 'created');
    });
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      service: 'catalog',
      productId: 'p1',
      msg: 'created',
    });
  });

  test('keeps times, amounts, null and lists as JSON has them', async () => {
    const [line] = await linesOf((logger) => {
      logger.info({
        at: new Date(0),
        amountMinor: -5n,
        none: null,
        list: [1, 'two', { three: true }],
      });
    });
    expect(line).toMatchObject({
      at: '1970-01-01T00:00:00.000Z',
      amountMinor: -5,
      none: null,
      list: [1, 'two', { three: true }],
    });
  });

  test('with circular fields is written', async () => {
    const circle: Record<string, unknown> = { name: 'round' };
    circle.again = circle;
    const lines = await linesOf((logger) => {
      logger.info({ circle });
    });
    expect(lines).toHaveLength(1);
  });

  test('below the level is not written', async () => {
    expect(
      await linesOf((logger) => {
        logger.debug('detail');
      }),
    ).toEqual([]);
  });

  test('has the ids of the running trace and request at any depth', async () => {
    const tracing = startTracing();
    let traceId: string | undefined;
    const [inside, outside] = await linesOf(async (logger) => {
      await withRequestId('r1', () =>
        inSpan({ name: 'outer', kind: 'server' }, async () => {
          traceId = currentTraceId();
          await inSpan({ name: 'inner', kind: 'internal' }, async () => {
            logger.info('inside');
          });
        }),
      );
      logger.info('outside');
    });
    await tracing.shutdown();

    expect(inside).toMatchObject({ trace_id: traceId, request_id: 'r1' });
    expect(inside?.span_id).toMatch(/^[\da-f]{16}$/);
    expect(outside).not.toHaveProperty('trace_id');
    expect(outside).not.toHaveProperty('request_id');
  });

  test('of one logger does not mix with lines of others that write to the same file', async () => {
    const file = join(folder, 'shared.log');
    const loggers = ['catalog', 'customer'].map((service) =>
      createLogger({ service, level: 'info', file }),
    );
    for (const logger of loggers) logger.info('here');
    await new Promise((resolve) => {
      loggers[0]?.flush(resolve);
    });
    const services = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { service: string }).service);
    expect(services).toEqual(['catalog', 'customer']);
  });
});

describe('a secret', () => {
  test.each([
    ['an authorization header', { headers: { authorization: 'Bearer sesame' } }],
    ['a body', { body: { sesame: true } }],
    ['a body of a request', { req: { body: '{"note":"sesame"}' } }],
    ['a body in a list', { calls: [{ response_body: 'sesame' }] }],
    ['a header in another case', { headers: { Authorization: 'sesame', 'Set-Cookie': 'sesame' } }],
    ['bytes', { data: Buffer.from('sesame'), more: Uint8Array.from([115, 101]) }],
    [
      'a field of an error that is no err',
      { failure: Object.assign(new Error('Bad'), { op: 'sesame' }) },
    ],
    ['a secret', { endpoint: { secret: 'sesame' } }],
    ['an API key in a deep field', { a: { b: { c: { d: 'billing_live_sesame' } } } }],
    ['a webhook secret in a list', { secrets: ['whsec_sesame'] }],
    ['a message of an error', { err: new Error('Bad key billing_test_sesame') }],
    ['a field of an error', { err: Object.assign(new Error('Bad'), { op: { name: 'sesame' } }) }],
  ])('never appears: %s', async (_what, fields) => {
    const [line] = await linesOf((logger) => {
      logger.error(fields, 'failed');
    });
    expect(line).toMatchObject({ msg: 'failed' });
    expect(JSON.stringify(line)).not.toContain('sesame');
  });

  test('never appears in a message or in the fields of a child logger', async () => {
    const lines = await linesOf((logger) => {
      logger
        .child({ authorization: 'sesame' })
        .info('Key billing_live_sesame from %s', 'whsec_sesame');
    });
    expect(JSON.stringify(lines)).not.toContain('sesame');
  });

  test('never appears: a card number', async () => {
    const lines = await linesOf((logger) => {
      logger.warn({ details: ['4242 4242 4242 4242', 4242424242424242] }, 'card 4242424242424242');
    });
    expect(lines).toMatchObject([{ details: ['[redacted]', null], msg: 'card [redacted]' }]);
  });
});

describe('an error', () => {
  test('is written with its causes', async () => {
    const cause = Object.assign(new Error('connect failed'), { code: 'ECONNREFUSED' });
    const error = new DomainError('unavailable', 'DATABASE_UNAVAILABLE', 'Service unavailable', {
      cause,
    });
    const [line] = await linesOf((logger) => {
      logger.error({ err: error }, 'call failed');
    });
    expect(line?.err).toMatchObject({
      type: 'DomainError',
      kind: 'unavailable',
      reason: 'DATABASE_UNAVAILABLE',
      message: 'Service unavailable',
      stack: expect.stringContaining('logging.test'),
      cause: { type: 'Error', message: 'connect failed', code: 'ECONNREFUSED' },
    });
  });

  test('with several causes is written with each', async () => {
    const error = new AggregateError([new Error('one'), new Error('two')], 'both');
    const [line] = await linesOf((logger) => {
      logger.error(error);
    });
    expect(line?.err).toMatchObject({
      message: 'both',
      errors: [{ message: 'one' }, { message: 'two' }],
    });
  });

  test('with circular causes is written', async () => {
    const error = new Error('round');
    error.cause = error;
    expect(
      await linesOf((logger) => {
        logger.error(error);
      }),
    ).toHaveLength(1);
  });

  test('that is not an Error is written as text', async () => {
    const [line] = await linesOf((logger) => {
      logger.error({ err: 'plain' }, 'failed');
    });
    expect(line?.err).toBe('plain');
  });
});

describe('a full disk', () => {
  const linesLogged = 20_000;

  test('does not end the process: lines that cannot be written are dropped and counted', async () => {
    const logger = createLogger({ service: 'catalog', level: 'info', file: '/dev/full' });
    for (let line = 0; line < linesLogged; line += 1) {
      logger.info({ text: 'x'.repeat(100) }, 'a line that cannot be written');
    }
    await new Promise<void>((resolve) => {
      logger.flush(() => {
        resolve();
      });
    });
    expect(droppedLogLines()).toBeGreaterThan(0);
    expect(droppedLogLines()).toBeLessThan(linesLogged);
  });
});

test('a log file is readable by its own user only', () => {
  const file = join(folder, 'private.log');
  createLogger({ service: 'catalog', level: 'info', file });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});
