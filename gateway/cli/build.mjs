// Bundles the command line into one file, and packs what the gateway serves.
import { join } from 'node:path';
import { build } from 'esbuild';
import { pack } from '../client/pack.mjs';
import { thirdPartyNotices } from './notices.mjs';

const folder = import.meta.dirname;
const { metafile } = await build({
  absWorkingDir: folder,
  entryPoints: [join(folder, 'src/main.ts')],
  outfile: join(folder, 'dist/billing.cjs'),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  conditions: ['source'],
  metafile: true,
  logLevel: 'warning',
});
const bundled = Object.keys(metafile.outputs['dist/billing.cjs'].inputs);
const notices = thirdPartyNotices(bundled.map((file) => join(folder, file)));
await pack(folder, { entries: ['billing.cjs'], more: ({ bin }) => ({ bin }), notices });
