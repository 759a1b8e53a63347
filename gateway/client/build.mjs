// Bundles the client into one file for each module system, and packs what `npm install` takes.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { create } from 'tar';

const folder = import.meta.dirname;
const downloads = join(folder, '../dist/downloads');

for (const [format, file] of [
  ['esm', 'index.mjs'],
  ['cjs', 'index.cjs'],
]) {
  await build({
    entryPoints: [join(folder, 'src/index.ts')],
    outfile: join(folder, 'dist', file),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format,
    logLevel: 'warning',
  });
}
writeFileSync(join(folder, 'dist/index.d.mts'), "export * from './types/index.js';\n");

const { name, version, description, license, exports } = JSON.parse(
  readFileSync(join(folder, 'package.json'), 'utf8'),
);
const packed = join(folder, 'dist/package');
rmSync(packed, { recursive: true, force: true });
for (const entry of ['index.mjs', 'index.cjs', 'index.d.mts', 'types']) {
  cpSync(join(folder, 'dist', entry), join(packed, 'dist', entry), {
    recursive: true,
    filter: (file) => !/\.test\.|\.map$/.test(file),
  });
}
cpSync(join(folder, 'README.md'), join(packed, 'README.md'));
cpSync(join(folder, '../../LICENSE'), join(packed, 'LICENSE'));
const described = { name, version, description, license, exports: withoutSources(exports) };
writeFileSync(join(packed, 'package.json'), `${JSON.stringify(described, undefined, 2)}\n`);

rmSync(downloads, { recursive: true, force: true });
mkdirSync(downloads, { recursive: true });
// The same sources give the same bytes.
const file = join(downloads, `client-${version}.tgz`);
await create({ gzip: true, portable: true, noMtime: true, cwd: packed, prefix: 'package', file }, [
  'LICENSE',
  'README.md',
  'dist',
  'package.json',
]);

/** The sources are not packed. */
function withoutSources(entries) {
  return Object.fromEntries(
    Object.entries(entries).map(([path, { source: _source, ...rest }]) => [path, rest]),
  );
}
