import {
  appendFile,
  chmod,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rotateLogs } from './log-rotation';

const limits = { bytesMax: 10, filesMax: 3 };
let folder: string;
const file = () => join(folder, 'gateway.log');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-logs-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function contents(): Promise<Record<string, string>> {
  const names = await readdir(folder);
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')]),
    ),
  ) as Record<string, string>;
}

test('a small log is not rotated', async () => {
  await writeFile(file(), '0123456789');
  await rotateLogs(folder, limits);
  expect(await contents()).toEqual({ 'gateway.log': '0123456789' });
});

test('a large log is rotated, and only the configured number of files is kept', async () => {
  for (const round of ['first', 'second', 'third', 'fourth']) {
    await appendFile(file(), `${round} is long`);
    await rotateLogs(folder, limits);
  }
  expect(await contents()).toEqual({
    'gateway.log': '',
    'gateway.log.1': 'fourth is long',
    'gateway.log.2': 'third is long',
  });
});

test('an open writer continues at the start of the rotated log, and copies are as private as the log', async () => {
  await writeFile(file(), '');
  await chmod(file(), 0o600);
  const writer = await open(file(), 'a');
  await writer.appendFile('before the rotation');
  await rotateLogs(folder, limits);
  await writer.appendFile('after');
  await writer.close();
  expect(await contents()).toEqual({
    'gateway.log': 'after',
    'gateway.log.1': 'before the rotation',
  });
  expect((await stat(`${file()}.1`)).mode & 0o777).toBe(0o600);
});
