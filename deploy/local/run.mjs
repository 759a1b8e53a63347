#!/usr/bin/env node
// Bootstrap of all npm scripts, for Node 20 and npm: installs the pinned versions, then runs
// everything on the pinned Node.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const bin = join(root, 'node_modules', '.bin');
const NODE_MAJOR = 24;
const TESTS_TIMEOUT_MS = 60 * 60_000;
const KILL_AFTER_MS = 15_000;
const SAME_SIGNAL_MS = 1_000;
const ANCESTORS_EVERY_MS = 500;
const FOLDERS_MADE = new Set(['node_modules', 'dist']);

const commands = {
  start: async (args) => {
    prepare();
    if (!build(['deploy/local']) || !buildSite()) return 1;
    // Detached from the terminal, so that it receives a Ctrl-C once, from here.
    const main = join(root, 'deploy/local/dist/main.js');
    return await runInteractive([main, ...args], { detached: true });
  },
  dev: async (args) => {
    prepare();
    const site = join(root, 'gateway/dist/site/index.html');
    if (!build(['deploy/local']) || !(existsSync(site) || buildSite())) return 1;
    const main = join(root, 'deploy/local/dist/main.js');
    return await runInteractive([main, '--watch', ...args], { detached: true });
  },
  test: async (args) => {
    prepare();
    if (args.some((arg) => !arg.startsWith('-'))) return await testSelected(args);
    return await test(args, await failedOf([...checks(), () => build(projects()), buildSite]));
  },
  build: () => {
    prepare();
    return build(projects()) && buildSite() ? 0 : 1;
  },
  generate: () => {
    install();
    generate({ force: true });
    return 0;
  },
  lint: async () => {
    prepare();
    return (await failedOf(checks())) === 0 ? 0 : 1;
  },
  bench: async (args) => {
    prepare();
    if (!build(projects())) return 1;
    return await runInteractive([join(root, 'test/dist/bench/run.js'), ...args]);
  },
  demo: async (args) => {
    prepare();
    if (!build(['test'])) return 1;
    return await runInteractive([join(root, 'test/dist/demo/main.js'), ...args]);
  },
  'check:invariants': async (args) => {
    prepare();
    if (!build(['test'])) return 2;
    return await runInteractive([join(root, 'test/dist/invariants/main.js'), ...args]);
  },
  'check:reports': async (args) => {
    prepare();
    if (!build(['test'])) return 2;
    return await runInteractive([join(root, 'test/dist/recount/main.js'), ...args]);
  },
  crash: async (args) => {
    prepare();
    if (!build(projects())) return 1;
    const { env, others } = crashOptions(args);
    return await jest(['crash-matrix', ...others], { env });
  },
  jest: async ([project, ...args]) => {
    prepare();
    if (project !== 'unit') buildForTests();
    // Jest would take a file that follows this flag for one more project.
    return await jest([...args, '--selectProjects', project]);
  },
};

/** `npm test -- <file or name>`: the tests that match, and no checks. */
async function testSelected(args) {
  const { patternOf, selectTests } = await import('./test-selection.mjs');
  const wanted = args.filter((arg) => !arg.startsWith('-'));
  const isTest = (file) => file.endsWith('.test.ts');
  const files = filesBelow(root).map((file) => relative(root, file));
  const selected = selectTests(wanted, files.filter(isTest));
  if (!selected) fail(`No test file and no test is named ${wanted.join(' ')}`);
  if (!selected.isUnit) buildForTests();
  const flags = args.filter((arg) => arg.startsWith('-'));
  const name = selected.name ? ['--testNamePattern', patternOf(selected.name)] : [];
  return await jest(['--forceExit', ...flags, ...name, '--runTestsByPath', ...selected.files]);
}

/** Tests across services also start the built processes. Only `npm test` reports compile errors. */
function buildForTests() {
  build(projects());
  buildSite();
}

async function jest(args, options = {}) {
  const config = ['-c', join(root, 'jest.config.cjs')];
  return await runInteractive(
    [join(root, 'node_modules/jest/bin/jest.js'), ...config, ...args],
    options,
  );
}

/**
 * Turns flags such as `--shard=1/4 --systems=3` into variables of the crash matrix; passes other
 * flags to jest.
 */
function crashOptions(args) {
  const names = ['flow', 'journal', 'minutes', 'seed', 'shard', 'systems'];
  const env = { CRASH_MATRIX: 'full', CRASH_SYSTEMS: '4' };
  const others = args.filter((arg) => {
    const [, name, value] = /^--(\w+)=(.*)$/.exec(arg) ?? [];
    if (!names.includes(name)) return true;
    env[`CRASH_${name.toUpperCase()}`] = value;
    return false;
  });
  return { env, others };
}

function prepare() {
  install();
  generate({ force: false });
}

/** Writes progress to standard error: standard output belongs to the command. */
function say(line) {
  process.stderr.write(`[${(performance.now() / 1000).toFixed(1).padStart(6)} s] ${line}\n`);
}

function fail(line) {
  say(line);
  process.exit(1);
}

function install() {
  const hash = sha256([readFileSync(join(root, 'pnpm-lock.yaml'))]);
  const stamp = join(root, 'node_modules', '.installed');
  if (readIfThere(stamp) === hash) return;
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  say(`Installing dependencies with ${packageManager}`);
  const pnpm = ['install', '--frozen-lockfile', '--reporter=append-only'];
  const args = ['--yes', '--loglevel=warn', packageManager, ...pnpm];
  // CI: replaces an older node_modules without asking.
  const { status } = run('npx', args, { env: { ...process.env, CI: 'true' } });
  if (status !== 0) fail('Installing dependencies failed');
  writeFileSync(stamp, hash);
}

function generate({ force }) {
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
  if (run(join(bin, 'buf'), ['generate'], { cwd: proto }).status !== 0) fail('buf generate failed');
  writeFileSync(stamp, hash);
}

function projects() {
  const services = readdirSync(join(root, 'services')).map((service) => `services/${service}`);
  const parts = ['gateway', 'gateway/dashboard', 'deploy/local', 'test'];
  const folders = ['proto', ...services.sort(), ...parts];
  return folders.filter((folder) => existsSync(join(root, folder, 'tsconfig.json')));
}

function build(folders) {
  say(`Building ${folders.length === 1 ? folders[0] : 'all packages'}`);
  const tsc = join(root, 'node_modules/typescript-native/bin/tsc');
  const { status } = run(pinnedNode(), [tsc, '-b', ...folders]);
  if (status !== 0) say('The build failed');
  return status === 0;
}

/** Builds the dashboard's site if one of its sources has changed. */
function buildSite() {
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
  if (run(pinnedNode(), args, { cwd: dashboard }).status !== 0) {
    say('Building the dashboard failed');
    return false;
  }
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
  return true;
}

/**
 * Lists the source files below a folder in a fixed order. Walks the folders itself: the recursive
 * readdir of some versions of Node follows the links of node_modules.
 */
function filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
  const folders = entries.filter((entry) => entry.isDirectory() && !FOLDERS_MADE.has(entry.name));
  return [...files, ...folders.flatMap(({ name }) => filesBelow(join(folder, name)))].sort();
}

/**
 * Counts failed steps. eslint takes as long as all other steps, so it runs in parallel to their
 * sequence.
 */
async function failedOf(steps) {
  const linted = eslint();
  const failed = steps.filter((step) => !step()).length;
  return failed + ((await linted) ? 0 : 1);
}

async function eslint() {
  say('Checking with eslint');
  const cache = ['--cache', '--cache-location', 'node_modules/.cache/eslint/'];
  const child = spawn(join(bin, 'eslint'), ['.', ...cache, '--max-warnings', '0'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: environment(),
  });
  const status = await ended(child);
  if (status !== 0) say('eslint found problems');
  return status === 0;
}

function checks() {
  const tool = (name, args, cwd = root) => {
    return () => {
      say(`Checking with ${name}`);
      const { status } = run(join(bin, name), args, { cwd });
      if (status !== 0) say(`${name} found problems`);
      return status === 0;
    };
  };
  return [
    lockfileNamesNoAddress,
    wordsArePlain,
    tool('buf', ['lint'], join(root, 'proto')),
    contractsBreakNothing,
    tool('prettier', ['--check', '--log-level', 'warn', '--cache', '.']),
    tool('depcruise', [
      '-c',
      'dependency-cruiser.cjs',
      'services',
      'gateway',
      'deploy',
      'test',
      'proto',
    ]),
    // Unused files, exports and dependencies, and undeclared dependencies.
    tool('knip', ['--no-config-hints']),
  ];
}

/**
 * Compares the contracts with the merge base of this branch and main; on main, with the last
 * commit.
 */
function contractsBreakNothing() {
  const baseline = contractsBaseline();
  if (baseline === undefined) {
    say('Contracts not compared: there is no earlier commit here');
    return true;
  }
  say('Checking contracts against the main branch');
  const against = `../.git#ref=${baseline},subdir=proto`;
  const broken = run(join(bin, 'buf'), ['breaking', '--against', against], {
    cwd: join(root, 'proto'),
  });
  if (broken.status !== 0) say('buf found breaking changes');
  return broken.status === 0;
}

function contractsBaseline() {
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout.trim() : undefined;
  };
  const head = git('rev-parse', '--verify', '--quiet', 'HEAD');
  const main =
    git('rev-parse', '--verify', '--quiet', 'main') ??
    git('rev-parse', '--verify', '--quiet', 'origin/main');
  if (head === undefined || main === undefined) return undefined;
  const left = git('merge-base', head, main);
  if (left !== head) return left;
  const hasChanges = git('status', '--porcelain', 'proto') !== '';
  return hasChanges ? head : git('rev-parse', '--verify', '--quiet', 'HEAD~1');
}

/** Finds words of `.forbidden-words`, which readers have to decode; CONTRIBUTING.md has the rule. */
function wordsArePlain() {
  say('Checking words');
  const notOurs = ['.forbidden-words', 'LICENSE', 'patches', 'pnpm-lock.yaml'];
  // Stored keys of usage without a customer contain one of the words.
  const withStoredKeys = ['services/metering/src/unsettled-usage*'];
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

async function test(args, checksFailed) {
  say('Running the tests');
  let isClosed = false;
  // A handle that a test does not close must not block the closing line.
  const status = await jest(['--forceExit', ...args], {
    env: { FAILED_CHECKS: String(checksFailed) },
    timeoutMs: TESTS_TIMEOUT_MS,
    onMessage: (message) => (isClosed ||= message === 'closing line'),
  });
  // Jest died before it could count: counts as one failure in addition to those of the checks.
  if (!isClosed) process.stdout.write(`0 passed, ${String(checksFailed + 1)} failed\n`);
  return status === 0 && checksFailed > 0 ? 1 : status;
}

/** Runs a program, forwards signals to it and returns its exit status. */
async function runInteractive(args, { env = {}, timeoutMs, onMessage, detached = false } = {}) {
  const child = spawn(pinnedNode(), args, {
    cwd: root,
    detached,
    // The program notices by the closed channel that this process has ended, for any reason.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...environment(), ...env },
  });
  if (onMessage) child.on('message', onMessage);
  passOnSignals(child);
  stopWithNpm(child);
  const timer = timeoutMs && setTimeout(() => stopLate(child, timeoutMs), timeoutMs);
  const status = await ended(child);
  clearTimeout(timer);
  return status;
}

function ended(child) {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve((say(error.message), 1)));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * Forwards signals. The terminal and npm both deliver one Ctrl-C, so repeated signals within a
 * second count as one.
 */
function passOnSignals(child) {
  let passedOnAt = -Infinity;
  const passOn = (signal) => {
    if (performance.now() - passedOnAt < SAME_SIGNAL_MS) return;
    passedOnAt = performance.now();
    child.kill(signal);
  };
  process.on('SIGINT', () => passOn('SIGINT'));
  process.on('SIGTERM', () => passOn('SIGTERM'));
  process.on('SIGHUP', () => passOn('SIGTERM'));
}

/** Stops with npm: npm and the shell in between do not forward every signal. */
function stopWithNpm(child) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const ancestors = () => [process.ppid, parentOf(process.ppid)].join();
  const first = ancestors();
  const timer = setInterval(() => {
    if (ancestors() === first) return;
    clearInterval(timer);
    child.kill('SIGTERM');
  }, ANCESTORS_EVERY_MS);
  timer.unref();
}

/** Parent of a process; undefined if the system does not report it. */
function parentOf(pid) {
  try {
    // The name in brackets may contain spaces and brackets.
    return readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
      .split(') ')
      .at(-1)
      .split(' ')[1];
  } catch {
    return undefined;
  }
}

function stopLate(child, timeoutMs) {
  say(`Stopping: not finished after ${String(timeoutMs / 60_000)} minutes`);
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref();
}

function run(program, args, options = {}) {
  const env = options.env ?? environment();
  const result = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2], ...options, env });
  if (result.error) say(`${program}: ${result.error.message}`);
  return result;
}

function environment() {
  return { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) };
}

/** Path of this Node if it is new enough, otherwise of the Node that the lockfile pins. */
function pinnedNode() {
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  try {
    const manifest = createRequire(join(root, 'package.json')).resolve(`${name}/package.json`);
    return join(dirname(manifest), 'bin', 'node');
  } catch {
    return fail(`Node ${NODE_MAJOR} or later is needed: there is no ${name} to install`);
  }
}

function sha256(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

const [name, ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
if (!command) fail(`Usage: run.mjs ${Object.keys(commands).join(' | ')}`);
process.exitCode = await command(args);
