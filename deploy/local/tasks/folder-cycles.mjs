// Finds folders that import each other, directly or through others. A folder is its own files here:
// its subfolders are folders of their own.
import { dirname } from 'node:path';

// Tests and their helpers import from everywhere, as in dependency-cruiser.cjs.
const TEST = /\.test\.tsx?$|\/testing\/|\/testing[^/]*\.ts$/;

/**
 * Returns cycles of folders, at least one of those that each folder is in, as lists of imports.
 * `modules` are those that dependency-cruiser found.
 */
export function folderCycles(modules) {
  const imports = importsOf(modules);
  const cycles = [];
  for (const folder of imports.keys()) {
    if (cycles.some((cycle) => cycle.some(({ from }) => dirname(from) === folder))) continue;
    const cycle = cycleThrough(folder, imports);
    if (cycle !== undefined) cycles.push(cycle);
  }
  return cycles;
}

/** One import for each pair of folders: by the importing folder, then by the imported one. */
function importsOf(modules) {
  const ours = modules.filter(({ source }) => !TEST.test(source));
  const sources = new Set(ours.map(({ source }) => source));
  const imports = new Map();
  for (const { source, dependencies } of ours) {
    const folder = dirname(source);
    const known = imports.get(folder) ?? new Map();
    imports.set(folder, known);
    for (const { resolved } of dependencies) {
      const isOther = sources.has(resolved) && dirname(resolved) !== folder;
      if (isOther) known.set(dirname(resolved), { from: source, to: resolved });
    }
  }
  return imports;
}

/** The shortest way from a folder back to it; undefined: there is none. */
function cycleThrough(start, imports) {
  const ways = new Map([[start, []]]);
  // Grows while folders are reached.
  for (const [folder, way] of ways) {
    for (const [next, found] of imports.get(folder) ?? []) {
      if (next === start) return [...way, found];
      if (!ways.has(next)) ways.set(next, [...way, found]);
    }
  }
  return undefined;
}
