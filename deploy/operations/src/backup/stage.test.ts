import { spawnSync } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { removeDeadStages, withStage } from './stage';

const hour = 60 * 60_000;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'billing-stages-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Creates a stage of another machine, touched some time ago. */
async function stageElsewhere(name: string, agoMs: number): Promise<void> {
  await mkdir(join(folder, name, 'databases'), { recursive: true });
  const at = new Date(Date.now() - agoMs);
  await utimes(join(folder, name), at, at);
}

test('stages of running backups stay, those of dead ones are deleted', async () => {
  await stageElsewhere('.billing-backup-other+1+0', hour / 2);
  await stageElsewhere('.billing-backup-other+2+0', 2 * hour);
  await stageElsewhere('billing-20261128T120000Z', 2 * hour);
  await withStage(folder, async (stage) => {
    const { pid } = spawnSync('true');
    const killed = basename(stage).replace(`+${String(process.pid)}+`, `+${String(pid)}+`);
    await mkdir(join(folder, killed));
    await removeDeadStages(folder);
    expect(await readdir(folder)).toEqual(
      [basename(stage), '.billing-backup-other+1+0', 'billing-20261128T120000Z'].toSorted(),
    );
  });
});

test('a stage is deleted when its work fails, and two of one process differ', async () => {
  await withStage(folder, async (first) => {
    const failing = withStage(folder, async (second) => {
      expect(second).not.toBe(first);
      throw new Error('disk');
    });
    await expect(failing).rejects.toThrow('disk');
    expect(await readdir(folder)).toEqual([basename(first)]);
  });
  expect(await readdir(folder)).toEqual([]);
});

test('a renamed stage stays', async () => {
  const backup = join(folder, 'billing-20261128T120000Z');
  await withStage(folder, (stage) => rename(stage, backup));
  await expect(access(backup)).resolves.toBeUndefined();
});
