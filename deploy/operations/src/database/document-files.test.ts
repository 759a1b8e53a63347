import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { writeCollection } from './document-files';

/** Documents that arrive slower than the disk takes them. */
async function* slowly(): AsyncGenerator<Buffer> {
  for (let count = 0; count < 4; count += 1) {
    await delay(20);
    yield Buffer.alloc(200);
  }
}

test('a full disk between two documents is the error of the backup', async () => {
  const db = { collection: () => ({ find: slowly }) } as unknown as Db;
  await expect(writeCollection(db, 'customers', '/dev/full')).rejects.toMatchObject({
    code: 'ENOSPC',
  });
});
