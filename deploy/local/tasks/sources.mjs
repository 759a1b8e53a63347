// Steps that bring the working copy up to date; each is skipped if nothing has changed.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import {
  bin,
  fail,
  filesBelow,
  pinnedNode,
  readIfThere,
  root,
  run,
  say,
  sha256,
} from './program.mjs';

export async function prepare() {
  await install();
  await generate({ force: false });
  await generateClient();
}

export async function install() {
  const hash = sha256([readFileSync(join(root, 'pnpm-lock.yaml'))]);
  const stamp = join(root, 'node_modules', '.installed');
  if (readIfThere(stamp) === hash) return;
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  say(`Installing dependencies with ${packageManager}`);
  const pnpm = ['install', '--frozen-lockfile', '--reporter=append-only'];
  const args = ['--yes', '--loglevel=warn', packageManager, ...pnpm];
  // CI: replaces an older node_modules without asking.
  const status = await run('npx', args, { env: { CI: 'true' } });
  if (status !== 0) fail('Installing dependencies failed');
  writeFileSync(stamp, hash);
}

export async function generate({ force }) {
  const proto = join(root, 'proto');
  const sources = filesBelow(proto)
    .map((file) => relative(proto, file))
    .filter((file) => /\.(proto|yaml|mjs)$/.test(file));
  const contents = sources.flatMap((file) => [file, readFileSync(join(proto, file))]);
  const hash = sha256([...contents, readFileSync(join(root, 'pnpm-lock.yaml'))]);
  const generated = join(proto, 'gen');
  const stamp = join(generated, '.stamp');
  if (!force && readIfThere(stamp) === hash) return;
  say('Generating code from the contracts');
  // Removes code of deleted contracts.
  rmSync(generated, { recursive: true, force: true });
  if ((await run(join(bin, 'buf'), ['generate'], { cwd: proto })) !== 0)
    fail('buf generate failed');
  writeFileSync(stamp, hash);
}

const client = join(root, 'gateway/client');
const lockfile = join(root, 'pnpm-lock.yaml');

// Sources of the documents of the API and of the webhooks.
const describedBy = [
  ...['api', 'asyncapi', 'openapi'].map((folder) => join(root, 'gateway/src', folder)),
  join(root, 'proto'),
  join(root, 'services/kernel/src/input'),
];

/** Writes the client's types and operations, which the gateway describes. */
async function generateClient() {
  const script = join(client, 'generate.mjs');
  const made = join(client, 'src/gen/api.ts');
  const flags = ['--conditions=source', '--require', '@swc-node/register'];
  if (!(await runOnChange([...flags, script], { sources: describedBy, made })))
    fail('Generating the client failed');
}

/** Bundles and packs what the gateway serves to developers; false after an error. */
async function packDownloads() {
  const sources = [join(client, 'src')];
  const made = join(client, 'dist/index.cjs');
  const isPacked = await runOnChange([join(client, 'build.mjs')], { sources, made });
  const cli = join(root, 'gateway/cli');
  return (
    isPacked &&
    (await runOnChange([join(cli, 'build.mjs')], {
      sources: [...sources, join(cli, 'src')],
      made: join(cli, 'dist/billing.cjs'),
    }))
  );
}

/** Runs a script unless `made` is there and was made from the same sources. */
async function runOnChange(args, { sources, made }) {
  const script = args.at(-1);
  const files = sources.flatMap(filesBelow).filter((file) => !file.endsWith('.test.ts'));
  const folder = dirname(script);
  const scripts = readdirSync(folder).filter((file) => file.endsWith('.mjs'));
  const inputs = [...files, ...scripts.map((file) => join(folder, file)), lockfile];
  const hash = sha256(inputs.flatMap((file) => [file, readFileSync(file)]));
  const stamp = join(folder, 'dist', `.${basename(script, '.mjs')}`);
  if (readIfThere(stamp) === hash && existsSync(made)) return true;
  const env = { SWC_NODE_PROJECT: join(root, 'tsconfig.base.json') };
  if ((await run(pinnedNode(), args, { env })) !== 0) return false;
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
  return true;
}

/** Folders of all packages. */
export function projects() {
  const services = readdirSync(join(root, 'services')).map((service) => `services/${service}`);
  const inGateway = ['client', 'cli', 'dashboard', 'docs'].map((part) => `gateway/${part}`);
  const inDeploy = ['deploy/local', 'deploy/operations'];
  const parts = ['gateway', ...inGateway, ...inDeploy, 'test'];
  const folders = ['proto', ...services.sort(), ...parts];
  return folders.filter((folder) => existsSync(join(root, folder, 'tsconfig.json')));
}

/** Compiles packages; false after an error. */
export async function build(folders) {
  say(`Building ${folders.length <= 3 ? folders.join(', ') : 'all packages'}`);
  const tsc = join(root, 'node_modules/typescript-native/bin/tsc');
  const isCompiled = (await run(pinnedNode(), [tsc, '-b', ...folders])) === 0;
  const usesClient = folders.some((folder) => ['gateway/client', 'test'].includes(folder));
  if (isCompiled && (!usesClient || (await packDownloads()))) return true;
  say('The build failed');
  return false;
}

/** Builds the sites that the gateway serves; false after an error. */
export async function buildSites() {
  return (await buildDashboard()) && (await buildDocumentation());
}

/** Writes the documentation site, from its compiled sources, if one of them has changed. */
async function buildDocumentation() {
  const docs = join(root, 'gateway/docs');
  const isBuilt = await runOnChange([join(docs, 'build.mjs')], {
    sources: [docs, ...describedBy],
    made: join(root, 'gateway/dist/docs/docs.html'),
  });
  if (!isBuilt) say('Building the documentation failed');
  return isBuilt;
}

/** Builds the dashboard's site if one of its sources has changed; false after an error. */
async function buildDashboard() {
  const dashboard = join(root, 'gateway/dashboard');
  const sources = [dashboard, join(root, 'gateway/src'), join(root, 'services/kernel/src')];
  const files = sources.flatMap(filesBelow).filter((file) => !file.endsWith('.test.ts'));
  const hash = sha256([
    ...files.flatMap((file) => [file, readFileSync(file)]),
    readFileSync(join(root, 'pnpm-lock.yaml')),
  ]);
  const site = join(root, 'gateway/dist/site');
  const stamp = join(dashboard, 'dist', '.site');
  if (readIfThere(stamp) === hash && existsSync(join(site, 'index.html'))) return true;
  say('Building the dashboard');
  const vite = join(dashboard, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', '--logLevel', 'warn'];
  // A start by a test has NODE_ENV=test, for which React would be built with its warnings.
  const env = { NODE_ENV: 'production' };
  if ((await run(pinnedNode(), args, { cwd: dashboard, env })) !== 0) {
    say('Building the dashboard failed');
    return false;
  }
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
  return true;
}
