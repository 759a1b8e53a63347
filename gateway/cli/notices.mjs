// Names the packages inside a bundle, each with its license.
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';

const rule = '='.repeat(80);

/** Text with the license of each package in a bundle; `files` are the paths of its inputs. */
export function thirdPartyNotices(files) {
  const packages = new Map();
  for (const file of files.filter((one) => one.includes('/node_modules/'))) {
    const folder = packageFolder(file);
    packages.set(folder, readPackage(folder));
    // A package may contain code of others that was bundled before.
    const code = readFileSync(file, 'utf8');
    for (const [, name] of code.matchAll(/^\/\/.*\bnode_modules\/((?:@[\w.-]+\/)?[\w.-]+)\//gm)) {
      const inner = findDependency(folder, name);
      packages.set(inner, readPackage(inner));
    }
  }
  const notices = [...packages.values()].sort((a, b) => (a.title < b.title ? -1 : 1));
  const intro = 'This program contains the following packages, each under its own license.\n';
  return [intro, ...notices.map(({ title, text }) => `${rule}\n${title}\n\n${text}\n`)].join('\n');
}

function packageFolder(file) {
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file);
  return folder;
}

function readPackage(folder) {
  const { name, version, license, author } = contentsOf(folder);
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  const text =
    file === undefined
      ? `The package has no file with its license. Author: ${author?.name ?? author}`
      : readFileSync(join(folder, file), 'utf8').trim();
  return { title: `${name} ${version} (${license})`, text };
}

function contentsOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Folder of a package among the dependencies of another, and theirs: the nearest one. */
function findDependency(folder, wanted) {
  const folders = [folder];
  for (const one of folders) {
    for (const name of Object.keys(contentsOf(one).dependencies ?? {})) {
      const found = resolveFrom(one, name);
      if (name === wanted) return found;
      if (!folders.includes(found)) folders.push(found);
    }
  }
  throw new Error(`${folder} contains ${wanted}, whose license was not found`);
}

function resolveFrom(folder, name) {
  for (let above = folder; above !== dirname(above); above = dirname(above)) {
    const found = join(above, 'node_modules', name);
    if (existsSync(found)) return realpathSync(found);
  }
  throw new Error(`${folder} has no dependency ${name}`);
}
