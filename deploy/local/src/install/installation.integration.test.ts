import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installOnce } from './installation';

let cacheDir: string;
const log = (): void => undefined;

beforeEach(async () => {
  cacheDir = await mkdtemp(join(tmpdir(), 'billing-cache-'));
});

afterEach(async () => {
  await rm(cacheDir, { recursive: true });
});

test('one of many concurrent callers installs, and all get the finished folder', async () => {
  let installed = 0;
  const install = async (stage: string): Promise<void> => {
    installed += 1;
    await writeFile(join(stage, 'program'), 'complete');
  };
  const folders = await Promise.all(
    Array.from({ length: 20 }, () => installOnce({ cacheDir, name: 'tool', log, install })),
  );

  expect(installed).toBe(1);
  expect(new Set(folders)).toEqual(new Set([join(cacheDir, 'tool')]));
  expect(await readFile(join(cacheDir, 'tool', 'program'), 'utf8')).toBe('complete');
  expect(await readdir(cacheDir)).toEqual(['tool']);
});

test('a failed installation leaves nothing behind, and the next one starts from scratch', async () => {
  const fail = async (stage: string): Promise<void> => {
    await writeFile(join(stage, 'half'), '');
    throw new Error('no network');
  };
  await expect(installOnce({ cacheDir, name: 'tool', log, install: fail })).rejects.toThrow(
    'no network',
  );
  expect(await readdir(cacheDir)).toEqual([]);
});

test('the next installer removes the lock and folder of a killed one', async () => {
  const dead = { pid: process.pid, startedAt: 'another boot/1' };
  await writeFile(join(cacheDir, 'tool.lock'), JSON.stringify(dead));
  await mkdir(join(cacheDir, '.stage-tool-0000'));

  const waiting = Array.from({ length: 5 }, () =>
    installOnce({ cacheDir, name: 'tool', log, install: () => Promise.resolve() }),
  );
  await Promise.all(waiting);
  expect(await readdir(cacheDir)).toEqual(['tool']);
});
