import {
  MongoBulkWriteError,
  MongoNetworkError,
  MongoOperationTimeoutError,
  MongoServerError,
} from 'mongodb';
import { DomainError } from '@billing/kernel/domain-error';
import { duplicateKeyIndex, retryTransient } from './mongo';

function serverError(code: number, message = 'failed'): MongoServerError {
  return new MongoServerError({ code, message });
}

function batchError(codes: number[]): MongoBulkWriteError {
  const writeErrors = codes.map((code) => ({ code, errmsg: 'failed' }));
  return new MongoBulkWriteError(
    { code: codes[0], message: 'failed', writeErrors } as never,
    { insertedCount: 0 } as never,
  );
}

/** An attempt that fails with each of the errors in turn and then succeeds. */
function failingWith(...errors: Error[]): jest.Mock<Promise<string>> {
  const attempt = jest.fn<Promise<string>, []>();
  for (const error of errors) attempt.mockRejectedValueOnce(error);
  return attempt.mockResolvedValue('done');
}

describe('retrying', () => {
  test.each<[string, Error]>([
    ['a lost connection', new MongoNetworkError('connection closed')],
    ['an operation that exceeded its own time limit', new MongoOperationTimeoutError('timed out')],
    ['a server that is no longer primary', serverError(10107)],
    ['a deadlock of racing inserts', serverError(16908292, 'deadlock detected')],
    ['a PostgreSQL that was killed', serverError(1, 'write failed: write: broken pipe')],
    ['a PostgreSQL that starts', serverError(1, 'the database system is starting up')],
    [
      'a collection that others make at the same time',
      serverError(1, 'Unable to create the specified collection'),
    ],
    ['a deadlock of one write in a batch', batchError([11000, 16908292])],
  ])('overcomes %s', async (_what, error) => {
    const attempt = failingWith(error, error);
    expect(await retryTransient(attempt)).toBe('done');
    expect(attempt).toHaveBeenCalledTimes(3);
  });

  test.each<[string, Error]>([
    ['a violated index', serverError(11000)],
    ['a batch in which only indexes were violated', batchError([11000, 11000])],
    ['a bug of the server', serverError(1, 'invalid memory address')],
    ['a malformed command', serverError(9)],
    ['a refusal', new DomainError('not_found', 'PRODUCT_NOT_FOUND', 'Product not found')],
    ['a bug', new TypeError('undefined is not a function')],
  ])('does not retry %s', async (_what, error) => {
    const attempt = failingWith(error);
    await expect(retryTransient(attempt)).rejects.toBe(error);
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  test.each([
    serverError(14_031, 'OutOfDiskSpace'),
    serverError(4_293, 'could not extend file "base/5/123": No space left on device'),
  ])('refuses immediately for lack of space: %s', async (error) => {
    const attempt = failingWith(error);
    await expect(retryTransient(attempt)).rejects.toMatchObject({
      kind: 'unavailable',
      reason: 'STORAGE_FULL',
    });
    expect(attempt).toHaveBeenCalledTimes(1);
  });

  test('stops after five attempts and keeps the last cause', async () => {
    const errors = Array.from({ length: 5 }, (_, index) => new MongoNetworkError(String(index)));
    const attempt = failingWith(...errors);
    await expect(retryTransient(attempt)).rejects.toMatchObject({
      kind: 'unavailable',
      reason: 'DATABASE_UNAVAILABLE',
      message: 'Service unavailable',
      cause: errors[4],
    });
    expect(attempt).toHaveBeenCalledTimes(5);
  });
});

describe('the violated index', () => {
  test.each([
    [
      'mongod',
      'E11000 duplicate key error collection: catalog.products index: name_1 dup key: { name: "index: x dup key" }',
      'name_1',
    ],
    [
      'mongod, the primary key',
      'E11000 duplicate key error collection: a.b index: _id_ dup key: { _id: 1 }',
      '_id_',
    ],
    ['DocumentDB', "Duplicate key violation on the requested collection: Index 'name_1'", 'name_1'],
    [
      'DocumentDB, the primary key',
      "Duplicate key violation on the requested collection: Index '_id_'",
      '_id_',
    ],
  ])('is read from the message of %s', (_server, message, expected) => {
    expect(duplicateKeyIndex(serverError(11000, message))).toBe(expected);
  });

  test('is the primary key if DocumentDB reports an internal error about it', () => {
    const message = 'duplicate key value violates unique constraint "collection_pk_2"';
    expect(duplicateKeyIndex(serverError(1, message))).toBe('_id_');
  });

  test.each([
    ['another error of the server', serverError(9, "Index 'name_1'")],
    ['an error that is not of the server', new Error('index: name_1 dup key')],
    ['nothing', undefined],
  ])('is undefined for %s', (_what, error) => {
    expect(duplicateKeyIndex(error)).toBeUndefined();
  });
});
