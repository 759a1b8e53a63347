import { chmod, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';

/** Writes a file atomically, readable by the launcher's user only. */
export async function writePrivateJson(file: string, content: unknown): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Reads a file if it exists; refuses the start if it contains no JSON. */
export async function readJsonIfThere(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read`, { cause: error });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw damagedFile(file, (error as Error).message);
  }
}

/** Refusal for a file with invalid content; `reason` is one line without any of the content. */
export function damagedFile(file: string, reason: string): StartRefusal {
  return new StartRefusal(exitStatuses.damaged, `${file} is damaged: ${reason}`);
}

/** Removes other users' access to the files of a folder, including files of earlier releases. */
export async function makeFilesPrivate(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  await Promise.all(files.map(({ name }) => chmod(join(folder, name), 0o600)));
}
