import { chmod, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';

/** Readable by the launcher's user alone, and complete or not there at all. */
export async function writePrivateJson(file: string, content: unknown): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Refuses the start where the file is there and holds no JSON. */
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

/** For a file whose content cannot be used; `reason` is one line without any of the content. */
export function damagedFile(file: string, reason: string): StartRefusal {
  return new StartRefusal(exitStatuses.damaged, `${file} is damaged: ${reason}`);
}

/** Closes the files of a folder to other users, also those that an earlier release left open. */
export async function makeFilesPrivate(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  await Promise.all(files.map(({ name }) => chmod(join(folder, name), 0o600)));
}
