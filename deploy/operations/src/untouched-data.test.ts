import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backUp } from './backup/backup';
import { examine } from './doctor/examine';
import { restore } from './restore/restore';

const isRoot = process.getuid?.() === 0;
const other = 1234;
let folder: string;

beforeEach(async () => {
  delete process.env.MONGODB_URI;
  folder = await mkdtemp(join(tmpdir(), 'billing-untouched-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Owner and mode of each file and folder. */
async function ownersOf(path: string): Promise<string[]> {
  const names = ['', ...(await readdir(path, { recursive: true }))].toSorted();
  const lines = names.map(async (name) => {
    const { uid, gid, mode } = await stat(join(path, name));
    return [name, uid, gid, mode.toString(8)].join(' ');
  });
  return Promise.all(lines);
}

const commands: [string, (dataDir: string) => Promise<unknown>, number][] = [
  ['backup', (dataDir) => backUp({ to: join(folder, 'to'), final: false, dataDir }), 78],
  ['final backup', (dataDir) => backUp({ to: join(folder, 'to'), final: true, dataDir }), 78],
  ['doctor', (dataDir) => examine(dataDir), 75],
];

describe.each(commands)('%s', (_name, run, exitStatus) => {
  test('changes no owner and no mode of the data of another user', async () => {
    const dataDir = join(folder, 'data');
    for (const path of [dataDir, join(dataDir, 'databases')]) {
      await mkdir(path);
      await chmod(path, 0o755);
      if (isRoot) await chown(path, other, other);
    }
    const before = await ownersOf(folder);
    await expect(run(dataDir)).rejects.toMatchObject({
      exitStatus,
      message: expect.stringMatching(/^.+$/),
    });
    expect(await ownersOf(folder)).toEqual(before);
  });

  test('creates no folder where the path of the data is wrong', async () => {
    await expect(run(join(folder, 'dtaa'))).rejects.toMatchObject({ exitStatus: 78 });
    expect(await readdir(folder)).toEqual([]);
  });
});

test('a restore names the folder where no backup is, and creates nothing', async () => {
  const from = join(folder, 'billing-20261128T120000Z');
  await expect(restore({ from, dataDir: join(folder, 'data') })).rejects.toMatchObject({
    exitStatus: 78,
    message: `No backup in ${from}`,
  });
  expect(await readdir(folder)).toEqual([]);
});
