// `npm run release -- 0.2.0`: checks the tree, writes the version, commits and tags it, and builds the images.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listComponents } from './dependencies.mjs';
import { fail, root, run, say, WRONG_USAGE } from './program.mjs';
import { baselineFile, releaseBaseline } from './release-baseline.mjs';
import { projects } from './sources.mjs';
import { testTier } from './tests.mjs';

/** Attached to the release; ignored by git. */
const sbomFile = 'deploy/images/dist/sbom.cdx.json';

/** Returns the exit status. */
export async function release([version, ...more]) {
  const present = JSON.parse(read('package.json')).version;
  const problem = problemOf(version, more, present);
  if (problem !== undefined) {
    say(problem);
    return WRONG_USAGE;
  }
  if ((await testTier('all', [])) !== 0) return 1;
  for (const [file, text] of changedFiles(version, present)) writeFileSync(join(root, file), text);
  mkdirSync(dirname(join(root, sbomFile)), { recursive: true });
  if (listComponents(join(root, sbomFile)) !== 0) fail('The bill of materials cannot be written');
  say(`Components: ${sbomFile}`);
  git('commit', '--quiet', '--all', '--message', `chore(release): ${version}`);
  git('tag', `v${version}`);
  const commit = git('rev-parse', 'HEAD');
  await buildImages(version);
  // The commit of the release cannot name itself.
  mkdirSync(dirname(join(root, baselineFile)), { recursive: true });
  writeFileSync(join(root, baselineFile), `${JSON.stringify({ version, commit }, null, 2)}\n`);
  git('add', '--all');
  git('commit', '--quiet', '--message', `test(upgrade): compare with ${version}`);
  say(`Released ${version}. Next: git push origin HEAD v${version}`);
  return 0;
}

function problemOf(version = '', more, present) {
  if (!/^\d+\.\d+\.\d+$/.test(version) || more.length > 0) {
    return 'Usage: npm run release -- <major.minor.patch>';
  }
  const isFirst = releaseBaseline() === undefined;
  if (!isFirst && !isLater(version, present)) return `${version} is not later than ${present}`;
  if (git('status', '--porcelain') !== '') return 'The working copy has changes';
  if (git('tag', '--list', `v${version}`) !== '') return `v${version} exists`;
  if (!read('CHANGELOG.md').includes(heading(version, 'unreleased'))) {
    return `CHANGELOG.md has no section ${heading(version, 'unreleased')}`;
  }
  return undefined;
}

function isLater(version, other) {
  const [a, b] = [version, other].map((text) => text.split('.').map(Number));
  const index = a.findIndex((part, place) => part !== b[place]);
  return index >= 0 && a[index] > b[index];
}

function heading(version, date) {
  return `## ${version} (${date})`;
}

/** Files that name the version, with their new contents. */
function changedFiles(version, present) {
  const today = new Date().toISOString().slice(0, 10);
  const manifests = ['package.json', ...projects().map((folder) => `${folder}/package.json`)];
  const folders = readdirSync(join(root, 'deploy/kubernetes'));
  const kustomizations = folders
    .map((folder) => `deploy/kubernetes/${folder}/kustomization.yaml`)
    .filter((file) => existsSync(join(root, file)));
  const replaced = (file, pattern, text) => [file, read(file).replace(pattern, text)];
  return [
    replaced('CHANGELOG.md', heading(version, 'unreleased'), heading(version, today)),
    ...manifests.map((file) =>
      replaced(file, `"version": "${present}"`, `"version": "${version}"`),
    ),
    ...kustomizations.map((file) => replaced(file, /(newTag:) \d+\.\d+\.\d+$/m, `$1 ${version}`)),
    replaced('deploy/compose/setup', `:-${present}}`, `:-${version}}`),
    replaced('deploy/vm/README.md', `--branch v${present}`, `--branch v${version}`),
  ];
}

/** Builds the images where an engine runs, and records their digests. */
async function buildImages(version) {
  if (spawnSync('docker', ['buildx', 'inspect']).status !== 0) {
    say('No images: no Docker with buildx runs here');
    return;
  }
  const metadata = join(root, 'node_modules/.cache/images.json');
  const args = ['buildx', 'bake', '--file', 'deploy/images/bake.hcl', '--metadata-file', metadata];
  const status = await run('docker', args, { env: { VERSION: version } });
  if (status !== 0) {
    say('No images: the build failed; `deploy/images/README.md` has the command');
    return;
  }
  const built = Object.entries(JSON.parse(readFileSync(metadata, 'utf8')));
  const digests = built.map(([name, { 'containerimage.digest': digest }]) => [name, digest]);
  const text = JSON.stringify({ version, digests: Object.fromEntries(digests) }, null, 2);
  writeFileSync(join(root, 'deploy/images/digests.json'), `${text}\n`);
}

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) fail(`git ${args[0]} failed: ${stderr.trim()}`);
  return stdout.trim();
}
