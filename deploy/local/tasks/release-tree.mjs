// The sources of a release, compiled next to this working copy, for `npm run test:upgrade`.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fail, filesBelow, pinnedNode, root, run, say } from './program.mjs';
import { releaseBaseline } from './release-baseline.mjs';

const trees = join(root, 'node_modules/.cache/releases');

/**
 * Builds the sources of a commit with its own dependencies and its own generated code, once. Types
 * are not checked: the release did that. Returns the folder.
 */
export async function buildRelease(commit) {
  const folder = join(trees, commit);
  const stamp = join(folder, '.built');
  if (existsSync(stamp)) return folder;
  say(`Building ${commit.slice(0, 12)}`);
  extract(commit, folder);
  const bootstrap = join(folder, 'deploy/local/run.mjs');
  if ((await run(pinnedNode(), [bootstrap, 'generate'], { cwd: folder })) !== 0) {
    fail(`The dependencies or contracts of ${commit} cannot be installed`);
  }
  for (const project of projectsOf(folder)) transpile(project);
  writeFileSync(stamp, '');
  return folder;
}

/**
 * Builds the release before this working copy, if there is one. Tests that run in parallel then find
 * it; built by each of them, one would remove what the other has extracted.
 */
export async function buildFormerRelease() {
  const { commit } = releaseBaseline() ?? {};
  if (commit !== undefined) await buildRelease(commit);
}

function extract(commit, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  // A shallow clone may lack the commit.
  if (git('cat-file', '-e', commit).status !== 0) git('fetch', '--depth=1', 'origin', commit);
  const archive = `${folder}.tar`;
  const { status, stderr } = git('archive', '--output', archive, commit);
  if (status !== 0) fail(`The release ${commit} is not in this clone: ${stderr.trim()}`);
  const unpacked = spawnSync('tar', ['-xf', archive, '-C', folder], { encoding: 'utf8' });
  rmSync(archive);
  if (unpacked.status !== 0) fail(`The release cannot be unpacked: ${unpacked.stderr.trim()}`);
}

/** Packages that run: services, gateway, launcher, and what these import. */
function projectsOf(folder) {
  const services = readdirSync(join(folder, 'services')).map((service) => `services/${service}`);
  return ['proto', ...services, 'gateway', 'deploy/local'].map((project) => join(folder, project));
}

function transpile(project) {
  const { transformFileSync } = createRequire(join(root, 'package.json'))('@swc/core');
  const { compilerOptions } = JSON.parse(readFileSync(join(project, 'tsconfig.json'), 'utf8'));
  const sources = join(project, compilerOptions.rootDir ?? '.');
  const output = join(project, compilerOptions.outDir ?? 'dist');
  const files = filesBelow(sources).filter(
    (file) => file.endsWith('.ts') && !/\.(test|d)\.ts$/.test(file),
  );
  for (const file of files) {
    const { code } = transformFileSync(file, {
      jsc: { target: 'es2024', parser: { syntax: 'typescript' }, keepClassNames: true },
      module: { type: 'commonjs' },
      sourceMaps: 'inline',
      swcrc: false,
    });
    const compiled = join(output, relative(sources, file)).replace(/\.ts$/, '.js');
    mkdirSync(dirname(compiled), { recursive: true });
    writeFileSync(compiled, code);
  }
}
