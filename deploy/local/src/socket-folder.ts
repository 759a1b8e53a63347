import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, makePrivateFolder } from './account';

/** The longest path that a Unix socket may have. */
export const SOCKET_PATH_BYTES_MAX = 107;
/** Leaves room for the folder's own name and the longest socket in it. */
const PARENT_BYTES_MAX = 50;

/** A new folder for Unix sockets that only the account can open: whoever can open it may connect. */
export async function makeSocketFolder(account: Account | undefined): Promise<string> {
  const parent = Buffer.byteLength(tmpdir()) <= PARENT_BYTES_MAX ? tmpdir() : '/tmp';
  const folder = await mkdtemp(join(parent, 'billing-'));
  await makePrivateFolder(folder, account);
  return folder;
}
