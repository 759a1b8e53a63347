// What `npm run lint` checks.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folderCycles } from './folder-cycles.mjs';
import { bin, root, run, say } from './program.mjs';
import { releaseBaseline } from './release-baseline.mjs';

const SOURCE_FILES_MAX = 25;
const PROTO_COLUMNS_MAX = 100;

// Suffixes that name no layer, and the folders where they name a technical part or another system.
const VAGUE_SUFFIX =
  /-(client|provider|sender|consumer|reconciliation|pool|service|commands|helper|utils?)\.tsx?$/;
const FREE_FOLDER = /^services\/(chassis|kernel)\/|\/(testing|peer|provider|sending)\//;

// By content: a checkout of another commit gives files new times, most of them without a change.
const byContent = ['--cache', '--cache-strategy', 'content'];

/** Counts failed checks. ESLint takes as long as all others, so it runs in parallel to them. */
export async function failedChecks() {
  const linted = eslint();
  return (await failedQuickChecks()) + ((await linted) ? 0 : 1);
}

/** Checks with ESLint; false if it finds problems. */
export async function eslint() {
  const cache = [...byContent, '--cache-location', 'node_modules/.cache/eslint/'];
  const args = ['.', ...cache, '--max-warnings', '0'];
  // Without its cache it holds the types of all packages, more than Node's default of 4 GB.
  const env = { NODE_OPTIONS: '--max-old-space-size=8192' };
  // Tests that run in parallel go first.
  return await isClean('eslint', args, { env, niceness: 10 });
}

/** Counts failed checks without ESLint. */
export async function failedQuickChecks() {
  const results = [
    lockfileNamesNoAddress(),
    wordsArePlain(),
    protoLinesAreShort(),
    foldersAreSmall(),
    namesTellTheLayer(),
    await isClean('buf', ['lint'], { cwd: join(root, 'proto') }),
    await contractsBreakNothing(),
    await isClean('prettier', ['--check', '--log-level', 'warn', ...byContent, '.']),
    await importsAreOrdered(),
    // Unused files, exports and dependencies, and undeclared dependencies.
    await isClean('knip', ['--no-config-hints']),
  ];
  return results.filter((isGood) => !isGood).length;
}

async function isClean(tool, args, options) {
  say(`Checking with ${tool}`);
  const status = await run(join(bin, tool), args, options);
  if (status !== 0) say(`${tool} found problems`);
  return status === 0;
}

/** Checks imports by the rules of dependency-cruiser.cjs, and that folders form no cycle. */
async function importsAreOrdered() {
  const folders = ['services', 'gateway', 'deploy', 'test', 'proto'];
  const file = join(root, 'node_modules/.cache/imports.json');
  mkdirSync(dirname(file), { recursive: true });
  const cruise = ['-c', 'dependency-cruiser.cjs', '-T', 'json', '-f', file, ...folders];
  if (!(await isClean('depcruise', cruise))) return false;
  const isOrdered = await isClean('depcruise-fmt', ['-T', 'err', '--exit-code', file]);
  const cycles = folderCycles(JSON.parse(readFileSync(file, 'utf8')).modules);
  for (const cycle of cycles) {
    const imports = cycle.map(({ from, to }) => `  ${from} → ${to}`);
    say(`Folders import each other:\n${imports.join('\n')}`);
  }
  return isOrdered && cycles.length === 0;
}

/**
 * Compares the contracts with the last release, and with the merge base of this branch and the main
 * one.
 */
async function contractsBreakNothing() {
  const baselines = contractsBaselines();
  if (baselines.length === 0) say('Contracts not compared: there is no earlier commit here');
  for (const baseline of baselines) {
    const against = `../.git#ref=${baseline},subdir=proto`;
    const args = ['breaking', '--against', against];
    if (!(await isClean('buf', args, { cwd: join(root, 'proto') }))) return false;
  }
  return true;
}

function contractsBaselines() {
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  const released = releaseBaseline()?.commit;
  const isHere = released !== undefined && git('cat-file', '-t', released) === 'commit';
  if (released !== undefined && !isHere) say(`The last release ${released} is not in this clone`);
  const main = git('rev-parse', '--verify', '--quiet', 'origin/main');
  const base = main === undefined ? undefined : git('merge-base', 'HEAD', main);
  return [...new Set([isHere ? released : undefined, base])].filter((one) => one !== undefined);
}

/** Finds lines of proto files that are too long; prettier does not format these files. */
function protoLinesAreShort() {
  say('Checking lines of proto files');
  const pattern = `.{${PROTO_COLUMNS_MAX + 1}}`;
  const args = ['grep', '--untracked', '-nE', pattern, '--', '*.proto'];
  const { stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  // Depending on the locale, git counts bytes.
  const isLong = (found) => [...found.replace(/^.*?:\d+:/, '')].length > PROTO_COLUMNS_MAX;
  const long = stdout.split('\n').filter(isLong);
  if (long.length > 0) {
    say(`Lines of more than ${PROTO_COLUMNS_MAX} columns:\n${long.join('\n')}`);
  }
  return long.length === 0;
}

/** Finds folders with so many source files that they need folders by noun. */
function foldersAreSmall() {
  say('Checking sizes of folders');
  const counts = new Map();
  for (const file of sourceFiles()) {
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  }
  const large = [...counts].filter(([, count]) => count > SOURCE_FILES_MAX);
  for (const [folder, count] of large) {
    say(`${folder} has ${count} source files; at most ${SOURCE_FILES_MAX} are allowed`);
  }
  return large.length === 0;
}

/** Finds files of services whose suffix is none of those that tell the layer. */
function namesTellTheLayer() {
  say('Checking names of files');
  const vague = sourceFiles().filter(
    (file) =>
      /^services\/[^/]+\/src\//.test(file) && !FREE_FOLDER.test(file) && VAGUE_SUFFIX.test(file),
  );
  for (const file of vague) say(`${file} has a suffix that names no layer`);
  return vague.length === 0;
}

/** Sources in git, without tests. */
function sourceFiles() {
  const args = ['ls-files', '*.ts', '*.tsx'];
  const { stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return stdout.split('\n').filter((file) => file !== '' && !file.endsWith('.test.ts'));
}

/** Finds words of `.forbidden-words`, which are unclear; CONTRIBUTING.md has the rule. */
function wordsArePlain() {
  say('Checking words');
  const notOurs = ['.forbidden-words', 'LICENSE', 'patches', 'pnpm-lock.yaml'];
  // Stored keys of usage without a customer contain one of the words.
  const withStoredKeys = [
    'services/metering/src/credit/unsettled-usage*',
    'test/upgrade/documents',
  ];
  const paths = ['.', ...[...notOurs, ...withStoredKeys].map((path) => `:!${path}`)];
  const args = ['grep', '--untracked', '-Iniwf', '.forbidden-words', '--', ...paths];
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (stdout !== '') say(`Forbidden words:\n${stdout}`);
  // 1: git grep found no line.
  return status === 1;
}

/**
 * Refuses addresses in the lockfile: they would tie every machine to the registry of its author.
 */
function lockfileNamesNoAddress() {
  const lines = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8').split('\n');
  const addresses = lines.filter((line) => /https?:\/\/|tarball/.test(line));
  if (addresses.length > 0) say(`pnpm-lock.yaml names addresses:\n${addresses.join('\n')}`);
  return addresses.length === 0;
}
