import { chmod, chown, lstat, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The user that databases run as. Absent: the user of the launcher. */
export interface Account {
  uid: number;
  gid: number;
}

/**
 * PostgreSQL refuses to run as root, and no other server needs root. 65534 is unprivileged on every
 * Linux.
 */
const UNPRIVILEGED: Account = { uid: 65534, gid: 65534 };

export function unprivilegedAccount(): Account | undefined {
  return process.getuid?.() === 0 ? UNPRIVILEGED : undefined;
}

/** Creates a folder that only the account can open, regardless of the umask. */
export async function makePrivateFolder(path: string, account: Account | undefined): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o700);
  if (account) await chown(path, account.uid, account.gid);
}

/** Creates a folder that all users can read, regardless of the umask. */
export async function makeSharedFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  await chmod(path, 0o755);
}

/** True if the account may traverse every folder above the path. */
export async function canReach(path: string, account: Account | undefined): Promise<boolean> {
  if (!account) return true;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid, gid } = await lstat(folder);
    const search = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & search) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
