import { readFile } from 'node:fs/promises';
import { StartRefusal } from '@billing/chassis/start-refusal';
import { MongoServerSelectionError } from 'mongodb';
import { refusalFor } from './refusal';

describe('a failure', () => {
  test('to find a file is a matter of configuration', async () => {
    const error: unknown = await readFile('/nowhere/at/all').catch((caught: unknown) => caught);
    expect(refusalFor(error)).toMatchObject({
      exitStatus: 78,
      message: 'No such file or folder: /nowhere/at/all',
    });
  });

  test.each([
    ['EACCES', 78, 'Permission denied: /var/backups/new'],
    ['EROFS', 78, 'Read-only file system: /var/backups/new'],
    ['ENOSPC', 75, 'ENOSPC: mkdir'],
  ])('of the file system with %s is refused with %d', (code, exitStatus, message) => {
    const error = Object.assign(new Error(`${code}: mkdir`), {
      ...{ code, syscall: 'mkdir', path: '/var/backups/new' },
    });
    expect(refusalFor(error)).toMatchObject({ exitStatus, message });
  });

  test('of the database is refused with its reason', () => {
    const error = new MongoServerSelectionError('no server', {} as never);
    expect(refusalFor(error)).toMatchObject({
      exitStatus: 75,
      message: 'MongoDB cannot be reached: no server',
    });
  });

  test.each([new Error('x'), new TypeError('y'), new StartRefusal(78, 'z'), undefined])(
    'of another kind stays as it is: %s',
    (error) => {
      expect(refusalFor(error)).toBe(error);
    },
  );
});
