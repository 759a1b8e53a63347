// Licenses and releases of the dependencies.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, say } from './program.mjs';

/** Licenses that permit to run, change and embed the product under Apache-2.0. */
const permitted = new Set([
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC'],
  ...['MIT', 'MIT-0', 'OFL-1.1', 'PSF-2.0', 'Unlicense', 'Zlib'],
]);

/** Packages that name no license in their manifest, and the license of their files. */
const read = new Map([['dejavu-fonts-ttf', 'Bitstream Vera, which permits use and embedding']]);

/** Lists the licenses of what runs in production; 1 if one is not permitted. */
export function licences() {
  const args = ['licenses', 'list', '--prod', '--json', '--filter', '!@billing/test'];
  const { status, stdout } = pnpm(args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (status !== 0) return status ?? 1;
  const byLicence = Object.entries(JSON.parse(stdout)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const refused = byLicence.flatMap(([licence, packages]) =>
    isPermitted(licence) ? [] : packages.filter(({ name }) => !read.has(name)),
  );
  for (const [licence, packages] of byLicence) say(`${licence}: ${String(packages.length)}`);
  for (const [name, licence] of read) say(`${name}: ${licence}`);
  for (const { name, license } of refused) say(`${name} has the license ${license}`);
  return refused.length === 0 ? 0 : 1;
}

/** Lists dependencies with later releases. */
export function outdated() {
  // pnpm ends with 1 if it finds any.
  const { status } = pnpm(['outdated', '--recursive'], { stdio: 'inherit' });
  return status === 1 ? 0 : (status ?? 1);
}

/** Writes what runs in production, as CycloneDX; returns the exit status. */
export function listComponents(file) {
  const format = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--prod'];
  const { status } = pnpm(['sbom', ...format, '--out', file], { stdio: ['ignore', 2, 2] });
  return status ?? 1;
}

/** True if all licenses of an expression such as `(MIT AND Zlib)` are permitted. */
function isPermitted(expression) {
  return expression
    .replaceAll(/[()]/g, '')
    .split(' AND ')
    .every((licence) => permitted.has(licence));
}

function pnpm(args, { stdio }) {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const program = ['--yes', '--loglevel=warn', packageManager, ...args];
  return spawnSync('npx', program, { cwd: root, encoding: 'utf8', stdio });
}
