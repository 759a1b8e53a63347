// Bundles the client into one file for each module system, and packs it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { pack } from './pack.mjs';

const folder = import.meta.dirname;
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
const entries = ['index.mjs', 'index.cjs', 'index.d.mts', 'types'];
await pack(folder, {
  entries,
  more: ({ exports }) => {
    const { source: _source, ...packed } = exports['.'];
    return { exports: { '.': packed } };
  },
});
