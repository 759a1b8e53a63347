import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, makePrivateFolder } from './account';

/** Maximum path length of a Unix socket. */
export const SOCKET_PATH_BYTES_MAX = 107;
/**
 * Maximum length of the base folder, with room for the new folder's name and the longest socket
 * name.
 */
const PARENT_BYTES_MAX = 50;

/** Creates a folder for Unix sockets that only the account can open, and hence connect to. */
export async function makeSocketFolder(account: Account | undefined): Promise<string> {
  const parent = Buffer.byteLength(tmpdir()) <= PARENT_BYTES_MAX ? tmpdir() : '/tmp';
  const folder = await mkdtemp(join(parent, 'billing-'));
  await makePrivateFolder(folder, account);
  return folder;
}
