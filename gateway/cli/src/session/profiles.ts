import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandFailure } from '../terminal/failure';
import type { Terminal } from '../terminal/terminal';

/** An environment that commands use. */
export interface Profile {
  readonly url: string;
  readonly key: string;
  /** Signs what `billing listen` forwards; absent before its first use. */
  readonly listenSecret?: string;
}

/** Profiles by name. */
export interface Profiles {
  /** The profile without `--profile`. */
  readonly current: string | undefined;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** True unless the prefix of the key says that it is one of a sandbox. */
export function isLiveKey(key: string): boolean {
  return !key.startsWith('billing_test_');
}

const none: Profiles = { current: undefined, profiles: {} };

/** The file of all profiles, which only its owner can read. */
function profilesFile({ env }: Pick<Terminal, 'env'>): string {
  // An empty variable counts as absent.
  const base = env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config');
  return join(base, 'billing', 'config.json');
}

export async function readProfiles(terminal: Pick<Terminal, 'env'>): Promise<Profiles> {
  try {
    const stored = JSON.parse(await readFile(profilesFile(terminal), 'utf8')) as Partial<Profiles>;
    return { current: stored.current, profiles: stored.profiles ?? {} };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return none;
    // The message of the parser would show a part of the file.
    throw new CommandFailure(`${profilesFile(terminal)} cannot be read`);
  }
}

/** Replaces the file at once, so that an interruption leaves the old one. */
export async function writeProfiles(
  terminal: Pick<Terminal, 'env'>,
  profiles: Profiles,
): Promise<void> {
  const file = profilesFile(terminal);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await chmod(dirname(file), 0o700);
  const next = `${file}.${String(process.pid)}`;
  await writeFile(next, `${JSON.stringify(profiles, undefined, 2)}\n`, { mode: 0o600 });
  await rename(next, file);
}
