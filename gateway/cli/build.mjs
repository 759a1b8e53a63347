// Bundles the command line into one file, and packs what the gateway serves.
import { join } from 'node:path';
import { build } from 'esbuild';
import { pack } from '../client/pack.mjs';

const folder = import.meta.dirname;
await build({
  entryPoints: [join(folder, 'src/main.ts')],
  outfile: join(folder, 'dist/billing.cjs'),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  conditions: ['source'],
  logLevel: 'warning',
});
await pack(folder, { entries: ['billing.cjs'], more: ({ bin }) => ({ bin }) });
