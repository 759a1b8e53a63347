import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@billing/chassis/testing';
import { freePort } from '@billing/chassis/listen-address';
import { serviceNames, services } from '@billing/local/services';
import { parse } from 'yaml';
import { bakedServices, imageRecipe, isExcluded } from './image-recipe';

const run = promisify(execFile);
const root = join(__dirname, '../..');
const textOf = (path: string) => readFile(join(root, path), 'utf8');
const instructions = (name: string) =>
  imageRecipe()
    .filter((instruction) => instruction.name === name)
    .map(({ text }) => text);

async function manifest(): Promise<{ packageManager: string }> {
  return JSON.parse(await textOf('package.json')) as { packageManager: string };
}

async function workspace(): Promise<{
  nodeVersion: string;
  patchedDependencies: Record<string, string>;
}> {
  return parse(await textOf('pnpm-workspace.yaml')) as Awaited<ReturnType<typeof workspace>>;
}

/** The folders of all packages, as the lockfile names them. */
function packages(): string[] {
  const lockfile = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8');
  return Object.keys((parse(lockfile) as { importers: object }).importers);
}

describe('the Dockerfile', () => {
  it('the Dockerfile uses the pinned Node and names no version of pnpm', async () => {
    const { nodeVersion } = await workspace();
    expect(instructions('ARG')).toContain(`NODE_VERSION=${nodeVersion}`);
    const stages = instructions('FROM').flatMap((text) => / AS (\w+)$/.exec(text)?.slice(1) ?? []);
    const bases = instructions('FROM').map(
      (text) => text.replace(/^--\S+ /, '').split(' ')[0] ?? '',
    );
    expect(new Set(bases.filter((base) => !stages.includes(base)))).toEqual(
      new Set(['node:${NODE_VERSION}-bookworm-slim']),
    );
    const [, version = ''] = (await manifest()).packageManager.split('@');
    expect(await textOf('deploy/images/Dockerfile')).not.toContain(version);
  });

  it('every copied path exists and is in the build context', () => {
    const copies = instructions('COPY').filter((text) => !text.startsWith('--from='));
    const sources = copies.flatMap((text) => text.split(/\s+/).slice(0, -1));
    expect(sources).toContain('pnpm-lock.yaml');
    for (const source of sources.filter((one) => one !== '.')) {
      expect({ source, isThere: existsSync(join(root, source)) }).toEqual({
        source,
        isThere: true,
      });
      expect({ source, isOut: isExcluded(source) }).toEqual({ source, isOut: false });
    }
  });

  it.each([
    'tsconfig.base.json',
    'deploy/local/run.mjs',
    'deploy/operations/src/main.ts',
    'deploy/local/tasks/sources.mjs',
    'patches/mongodb@7.9.0.patch',
    'proto/buf.gen.yaml',
    'proto/billing/catalog/v1/catalog.proto',
    'proto/examples/subscription-created.json',
    'gateway/tsconfig.json',
    'gateway/dashboard/index.html',
    'gateway/docs/guides/verify-webhooks.md',
    // Packed with what the gateway serves.
    ...['LICENSE', 'gateway/cli/README.md', 'gateway/client/README.md'],
    ...serviceNames.map((name) => `${services[name].folder}/src/main.ts`),
    // pnpm checks the lockfile against the manifests of all packages.
    ...packages().map((name) => join(name, 'package.json')),
  ])('the build context includes %s', (path) => {
    expect(existsSync(join(root, path))).toBe(true);
    expect(isExcluded(path)).toBe(false);
  });

  it.each([
    '.git/config',
    '.data/secrets.json',
    '.env',
    'services/catalog/.env',
    'node_modules/typescript/package.json',
    'services/catalog/node_modules/zod',
    'gateway/dist/main.js',
    'gateway/dashboard/dist/.site',
    'proto/gen/.stamp',
    'services/chassis/src/testing/testing.ts',
    'services/checkout/src/testing/store.ts',
    'services/checkout/src/invoice/document/store.integration.test.ts',
    'deploy/images/Dockerfile',
    'test/support/test-system.ts',
  ])('the build context excludes %s', (path) => {
    expect(isExcluded(path)).toBe(true);
  });

  it('bake.hcl builds an image of each service, and of the commands of operations', () => {
    expect(bakedServices()).toEqual([...serviceNames, 'operations']);
  });
});

/** Creates the folder of an image by the command of the Dockerfile; returns its path. */
async function makeFolder(service: string, parent: string): Promise<string> {
  const made = join(parent, 'made');
  const command = instructions('RUN').find((text) => text.endsWith(' deploy /app')) ?? '';
  const args = command
    .replace(/^(--mount=\S+\s+)*pnpm /, '')
    .replaceAll('"', '')
    .replace('$SERVICE', service)
    .replace('/app', made)
    .split(/\s+/);
  const { packageManager } = await manifest();
  // Uses the packages of the installation, without a registry.
  const env = { ...process.env, npm_config_prefer_offline: 'true' };
  await run('npx', ['--yes', packageManager, ...args], { cwd: root, env });
  // Moves the folder: as in an image, it runs at another path than it was built at.
  const folder = join(parent, 'app');
  await rename(made, folder);
  return folder;
}

/** The gateway needs most files in addition to code. */
describe('the folder of the gateway', () => {
  let parent: string;
  let folder: string;
  let gateway: ChildProcess | undefined;

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'billing-image-'));
    folder = await makeFolder('gateway', parent);
  });

  afterAll(async () => {
    gateway?.kill('SIGKILL');
    await rm(parent, { recursive: true, force: true });
  });

  it('the folder contains no tests, no tools and no other service', async () => {
    const files = await readdir(folder, { recursive: true });
    const own = files.filter((file) => /^(dist|.*\/@billing\/\w+\/dist)\//.test(file));
    const isPage = (file: string) => /^dist\/(site|docs)\//.test(file);
    const built = own.filter((file) => /\.\w+$/.test(file) && !isPage(file));
    expect(own).toContain('dist/docs/docs.html');
    expect(built).toContain('dist/main.js');
    const downloads = built.filter((file) => file.startsWith('dist/downloads/'));
    expect(downloads.map((file) => file.replace(/-[\d.]+\.tgz$/, '')).sort()).toEqual([
      'dist/downloads/cli',
      'dist/downloads/client',
    ]);
    const code = built.filter((file) => !downloads.includes(file));
    expect(code.filter((file) => !file.endsWith('.js'))).toEqual([]);
    expect(built.filter((file) => /\.test\.|\/testing(\/|[^/]*$)/.test(file))).toEqual([]);
    // Native code would not run on another architecture, and the image has its own Node.
    expect(files.filter((file) => file.endsWith('.node'))).toEqual([]);
    const packages = await readdir(join(folder, 'node_modules/.pnpm'));
    const names = packages.map((name) => name.replace(/(?<=.)@.*$/, ''));
    expect(names.filter((name) => name.startsWith('@billing+')).sort()).toEqual([
      '@billing+chassis',
      '@billing+documents',
      '@billing+kernel',
      '@billing+presentation',
      '@billing+proto',
    ]);
    expect(
      names.filter((name) => /^(typescript|jest|vite|react|node-linux-\w+)$/.test(name)),
    ).toEqual([]);
  });

  it('the dependencies in the folder are patched', async () => {
    const packages = await readdir(join(folder, 'node_modules/.pnpm'));
    for (const [dependency, patchFile] of Object.entries((await workspace()).patchedDependencies)) {
      const [name = ''] = dependency.split(/(?<=.)@/);
      const place = packages.find((one) => one.startsWith(`${dependency.replace('/', '+')}_`));
      const patched = join(folder, 'node_modules/.pnpm', place ?? '', 'node_modules', name);
      const [, ...parts] = (await textOf(patchFile)).split(/^\+\+\+ b\//m);
      expect(parts).not.toEqual([]);
      for (const part of parts) {
        const [file = '', ...lines] = part.split('\n');
        const text = await readFile(join(patched, file), 'utf8');
        for (const line of lines.filter((one) => one.startsWith('+'))) {
          expect(text).toContain(line.slice(1));
        }
      }
    }
  });

  it('the folder contains the fonts of PDF documents', async () => {
    const sizes =
      'fonts.flatMap(({ regular, bold }) => [regular(), bold()].map((font) => font.characters.size))';
    const script = `const fonts = require('@billing/documents/fonts').pdfFonts('ja'); console.log(JSON.stringify(${sizes}))`;
    const { stdout } = await run(process.execPath, ['--eval', script], { cwd: folder });
    const found = JSON.parse(stdout) as number[];
    // Two weights for Europe, Japan and China each.
    expect(found).toHaveLength(6);
    for (const size of found) expect(size).toBeGreaterThan(5_000);
  });

  it('the gateway starts from the folder, serves its pages and stops on SIGTERM', async () => {
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const [entryPoint = '[]'] = instructions('ENTRYPOINT');
    const [program, ...args] = JSON.parse(entryPoint) as string[];
    expect(program).toBe('node');
    // No service listens there: the requests of this test need none.
    const peers = serviceNames.map((name) => [`${name.toUpperCase()}_ADDRESS`, '127.0.0.1:1']);
    gateway = spawn(process.execPath, args, {
      cwd: folder,
      stdio: 'ignore',
      env: {
        HTTP_LISTEN: `127.0.0.1:${port}`,
        HOSTED_PAGE_URL: url,
        NODE_ENV: 'production',
        ...Object.fromEntries(peers),
      },
    });
    await eventually(async () => {
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    });
    const page = await (await fetch(`${url}/dashboard`)).text();
    const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(page) ?? [];
    for (const path of [
      script,
      '/openapi.json',
      '/asyncapi.json',
      '/docs',
      '/docs/quickstart',
      '/llms.txt',
    ]) {
      const { status } = await fetch(`${url}${path}`);
      expect({ path, status }).toEqual({ path, status: 200 });
    }
    const ended = once(gateway, 'exit');
    gateway.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });
});

describe('the folder of the commands of operations', () => {
  let parent: string;
  let folder: string;

  beforeAll(async () => {
    parent = await mkdtemp(join(tmpdir(), 'billing-image-'));
    folder = await makeFolder('operations', parent);
  });

  afterAll(async () => {
    await rm(parent, { recursive: true, force: true });
  });

  const refusalOf = (...args: string[]) => {
    const env = { PATH: process.env.PATH, NODE_ENV: 'production' };
    return run(process.execPath, ['dist/main.js', ...args], { cwd: folder, env }).then(
      () => undefined,
      (error: unknown) => {
        const { code, stderr } = error as { code: number; stderr: string };
        return { code, stderr };
      },
    );
  };

  it.each(['backup', 'restore', 'reconcile', 'doctor', 'indexes', 'requeue-poison'])(
    '%s is found there, and names its own flags',
    async (command) => {
      expect(await refusalOf(command, '--unknown')).toEqual({
        code: 2,
        stderr: expect.stringContaining(`Usage: npm run ${command}`),
      });
    },
  );

  it.each([[[]], [['unknown']]])('the arguments %j are refused', async (args) => {
    expect(await refusalOf(...args)).toEqual({
      code: 2,
      stderr: expect.stringContaining('must be one of backup, restore, reconcile, doctor'),
    });
  });
});
