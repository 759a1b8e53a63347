import { chmod, chown, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeSharedFolder, unprivilegedAccount } from './account';
import { findDataFolder, openDataFolder } from './data-folder';

const isRoot = process.getuid?.() === 0;
const other = 1234;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-folder-'));
  await makeSharedFolder(folder);
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

test('the folders that a start has opened are found, and stay as they are', async () => {
  const dataDir = join(folder, 'data');
  const opened = await openDataFolder(dataDir, unprivilegedAccount(), () => undefined);
  const owners = async () => {
    const found = [opened.path, opened.logs, opened.databases].map((path) => stat(path));
    return (await Promise.all(found)).map(({ uid, gid, mode }) => [uid, gid, mode]);
  };
  const before = await owners();
  const found = await findDataFolder(dataDir, { rootReads: false });
  expect(found).toEqual({ ...opened, isThere: true });
  expect(await owners()).toEqual(before);
});

test('a folder that does not exist is not created', async () => {
  const path = join(folder, 'data');
  expect(await findDataFolder(path, { rootReads: false })).toMatchObject({ path, isThere: false });
  expect(await readdir(folder)).toEqual([]);
});

(isRoot ? test : test.skip)(
  'of the folders of other users root may read, and no more',
  async () => {
    const dataDir = join(folder, 'data');
    const opened = await openDataFolder(dataDir, undefined, () => undefined);
    await chmod(opened.path, 0o700);
    for (const path of [opened.path, opened.databases]) await chown(path, other, other);
    await expect(findDataFolder(dataDir, { rootReads: false })).rejects.toMatchObject({
      exitStatus: 78,
      message: `${opened.path} belongs to user 1234, not to 0: run the command as its user`,
    });
    expect(await findDataFolder(dataDir, { rootReads: true })).toMatchObject(opened);
  },
);

test('the folder of another user is found for databases on servers of your own', async () => {
  // As Kubernetes makes a volume with fsGroup: root has it, and the group of the pod writes.
  await chmod(folder, 0o2777);
  const { uid } = await stat(folder);
  const getuid = jest.spyOn(process, 'getuid').mockReturnValue(uid + other);
  try {
    const found = await findDataFolder(folder, { rootReads: false, isElsewhere: true });
    expect(found).toMatchObject({ path: folder, isThere: true });
  } finally {
    getuid.mockRestore();
  }
});
