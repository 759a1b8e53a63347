import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceName, serviceNames, services } from './services';
import { watchSources } from './source-watch';

let root: string;
let watcher: { stop(): void };
let changes: (readonly ServiceName[])[];
let onChanges: () => void = () => undefined;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'billing-sources-'));
  const folders = [
    'services/kernel/src/input',
    'services/chassis/src',
    'services/presentation/src',
    'services/documents/src',
    'proto/dist',
  ];
  const own = serviceNames.map((name) => join(services[name].folder, 'src'));
  for (const folder of [...folders, ...own]) await mkdir(join(root, folder), { recursive: true });
  changes = [];
  watcher = watchSources(root, (names) => {
    changes.push(names);
    onChanges();
  });
});

afterEach(async () => {
  watcher.stop();
  await rm(root, { recursive: true, force: true });
});

/** Resolves with the services of the next report after the act. */
async function reportOf(act: () => Promise<void>): Promise<readonly ServiceName[]> {
  const reported = new Promise<void>((resolve) => (onChanges = resolve));
  await act();
  await reported;
  return changes.at(-1) ?? [];
}

const write = (path: string) => writeFile(join(root, path), 'export {};\n');
const replace = async (path: string) => {
  await write('replacement');
  await rename(join(root, 'replacement'), join(root, path));
};

describe('the watch of sources', () => {
  test('reports the service of a file each time an editor replaces it', async () => {
    const file = 'services/customer/src/customer.ts';
    for (const _time of [1, 2, 3]) {
      expect(await reportOf(() => replace(file))).toEqual(['customer']);
    }
  });

  test('reports all services for a file that all of them run', async () => {
    const file = 'services/kernel/src/input/address.ts';
    expect(await reportOf(() => write(file))).toEqual(serviceNames);
  });

  test('ignores tests and build output', async () => {
    await write('services/checkout/src/invoice.test.ts');
    await write('proto/dist/invoice.ts');
    expect(await reportOf(() => write('gateway/src/app.ts'))).toEqual(['gateway']);
    expect(changes).toHaveLength(1);
  });
});
