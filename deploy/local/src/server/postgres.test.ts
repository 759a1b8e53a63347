import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { archiving, settings } from './postgres';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-archive-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Runs the command of the settings as PostgreSQL does, for the segment of this name. */
async function archive(archiveDir: string, name: string): Promise<void> {
  const setting = archiving(archiveDir).find((line) => line.startsWith('archive_command'));
  const quoted = /^archive_command = '(.*)'$/.exec(setting ?? '')?.[1] ?? '';
  const command = quoted.replaceAll("''", "'").replaceAll('\\\\', '\\');
  const file = name;
  const filled = command.replace(/%[pf%]/g, (found) => ({ '%p': file, '%f': name })[found] ?? '%');
  await promisify(execFile)('/bin/sh', ['-c', filled], { cwd: folder });
}

test('a segment is archived once, again after a crash, and never replaced by another', async () => {
  const archiveDir = join(folder, "Ada's 100% archive");
  await mkdir(archiveDir);
  await writeFile(join(folder, '0001'), 'one');
  await archive(archiveDir, '0001');
  expect(await readFile(join(archiveDir, '0001'), 'utf8')).toBe('one');
  await archive(archiveDir, '0001');

  await writeFile(join(folder, '0001'), 'another');
  await expect(archive(archiveDir, '0001')).rejects.toThrow();
  expect(await readFile(join(archiveDir, '0001'), 'utf8')).toBe('one');
  expect(await readdir(archiveDir)).toEqual(['0001']);
});

test('the partial last segment of a former timeline is not archived', async () => {
  const archiveDir = join(folder, 'archive');
  await mkdir(archiveDir);
  await writeFile(join(folder, '0001.partial'), 'one');
  await archive(archiveDir, '0001.partial');
  expect(await readdir(archiveDir)).toEqual([]);
});

test('segments that are not full are archived within a minute', () => {
  expect(archiving('/wal')).toEqual(
    expect.arrayContaining(['archive_mode = on', 'archive_timeout = 60']),
  );
});

test('the log has warnings and worse, without the statements that caused them', () => {
  const lines = settings({ socketDir: '/run' }).split('\n');
  expect(lines.filter((line) => line.startsWith('log_'))).toEqual([
    'log_min_messages = warning',
    'log_min_error_statement = panic',
    'log_error_verbosity = terse',
    'log_checkpoints = off',
  ]);
});
