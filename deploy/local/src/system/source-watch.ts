import { readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { type ServiceName, serviceNames, services } from './services';

/** Folders whose code every service runs. */
const sharedFolders = [
  'services/kernel/src',
  'services/chassis/src',
  'services/presentation/src',
  'services/documents/src',
  'proto',
];
const builtFolders = new Set(['dist', 'node_modules']);
/** Editors write a file in several steps, and one save may change several files. */
const DEBOUNCE_MS = 50;

/**
 * Calls `onChange` with the services whose sources changed. Watches folders and not files: neither
 * Node's --watch nor its recursive watch sees a file again that an editor replaced instead of
 * writing it in place.
 */
export function watchSources(
  root: string,
  onChange: (names: readonly ServiceName[]) => void,
): { stop(): void } {
  const changed = new Set<ServiceName>();
  let timer: NodeJS.Timeout | undefined;
  const report = (): void => {
    const names = [...changed];
    changed.clear();
    onChange(names);
  };
  const watchBelow = (folder: string, names: readonly ServiceName[]) =>
    foldersBelow(join(root, folder)).map((path) =>
      watch(path, (_event, file) => {
        if (!isSource(file)) return;
        for (const name of names) changed.add(name);
        clearTimeout(timer);
        timer = setTimeout(report, DEBOUNCE_MS);
      }),
    );
  const watchers = [
    ...sharedFolders.flatMap((folder) => watchBelow(folder, serviceNames)),
    ...serviceNames.flatMap((name) => watchBelow(join(services[name].folder, 'src'), [name])),
  ];
  return {
    stop: () => {
      clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** The folder and the folders in it, without build output and installed packages. */
function foldersBelow(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  const inside = entries.filter((entry) => entry.isDirectory() && !builtFolders.has(entry.name));
  return [folder, ...inside.flatMap(({ name }) => foldersBelow(join(folder, name)))];
}

/** Tests are not part of a running service. */
function isSource(file: string | null): boolean {
  return file !== null && file.endsWith('.ts') && !/\.(test|d)\.ts$/.test(file);
}
