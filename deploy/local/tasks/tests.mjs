// What `npm test` and its relatives run.
import { join, relative } from 'node:path';
import { eslint, failedQuickChecks } from './checks.mjs';
import { fail, filesBelow, root, runTests, say, WRONG_USAGE } from './program.mjs';
import { buildFormerRelease } from './release-tree.mjs';
import { readTestFlags } from './test-flags.mjs';
import { build, buildSites, prepare, projects } from './sources.mjs';
import { patternOf, selectTests } from './test-selection.mjs';
import { costTable } from './test-costs.mjs';

// For tests that hang: the time without a finished file. An hour of crash runs is one file.
const IDLE_MS = 30 * 60_000;
const IDLE_LONG_MS = 5 * 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** `npm test`: what matches the arguments, or else the checks and the quick tests. */
export async function test(args) {
  const { others } = readTestFlags(args);
  if (!others.some((arg) => !arg.startsWith('-'))) return await testTier('quick', args);
  await prepare();
  return await testSelected(args);
}

/**
 * Runs the checks and the tests of a tier, which `test/support/test-tiers.cjs` lists. ESLint needs no
 * build and runs in parallel. `--part n/m` runs one of m parts; the first one has the checks.
 */
export async function testTier(tier, args) {
  const { part = '1/1' } = readTestFlags(args);
  const hasChecks = part.startsWith('1/');
  await prepare();
  const linted = hasChecks ? eslint() : true;
  let failed = hasChecks ? await failedQuickChecks() : 0;
  if (!(await build(projects()))) failed += 1;
  if (!(await buildSites())) failed += 1;
  if (tier === 'nightly') await buildFormerRelease();
  say('Running the tests');
  return await jest(args, {
    env: { TEST_TIER: tier, ...(tier === 'all' && { TEST_DAY: shareOfToday() }) },
    idleMs: tier === 'nightly' ? IDLE_LONG_MS : IDLE_MS,
    failedChecks: async () => failed + ((await linted) ? 0 : 1),
  });
}

/** Number of the day that chooses the crash suites and viewports of `npm run test:all`. */
function shareOfToday() {
  const day = process.env.TEST_DAY ?? String(Math.floor(Date.now() / DAY_MS));
  say(`Crash suites and viewports of day ${day}; TEST_DAY=${day} repeats them`);
  return day;
}

/** `npm test -- <file or name>`: the tests that match, and no checks. */
async function testSelected(args) {
  const { others } = readTestFlags(args);
  const wanted = others.filter((arg) => !arg.startsWith('-'));
  const isTest = (file) => file.endsWith('.test.ts');
  const files = filesBelow(root).map((file) => relative(root, file));
  const selected = selectTests(wanted, files.filter(isTest));
  if (!selected) fail(`No test matches "${wanted.join(' ')}"`, WRONG_USAGE);
  if (!selected.isUnit) await buildForTests();
  // With the values of the flags that are read here.
  const flags = args.filter((arg) => !wanted.includes(arg));
  const name = selected.name ? ['--testNamePattern', patternOf(selected.name)] : [];
  return await jest([...flags, ...name, '--runTestsByPath', ...selected.files]);
}

/** All tests of one of jest's projects: unit, integration or e2e. */
export async function testProject(project, args) {
  await prepare();
  if (project !== 'unit') await buildForTests();
  // Jest would take a file that follows this flag for one more project.
  return await jest([...args, '--selectProjects', project]);
}

/** The release before and this working copy on the same data. */
export async function testUpgrade(args) {
  await prepare();
  if (!(await build(projects()))) return 1;
  await buildFormerRelease();
  return await jest(['test/upgrade/', ...args], { idleMs: IDLE_LONG_MS });
}

/** The drills, each with every kill; `--quick`: those of `npm run test:all`. */
export async function drill(args) {
  await prepare();
  if (!(await build(projects())) || !(await buildSites())) return 1;
  const others = args.filter((arg) => arg !== '--quick');
  const env = { TEST_TIER: others.length < args.length ? 'all' : 'nightly' };
  return await jest(['test/drill/', ...others], { env, idleMs: IDLE_LONG_MS });
}

/** The tests with a container engine; fails where the machine lacks something for one. */
export async function testEngine(args) {
  await prepare();
  if (!(await build(projects())) || !(await buildSites())) return 1;
  const env = { TEST_TIER: 'nightly', ENGINE_REQUIRED: 'true' };
  return await jest(['test/engine/', ...args], { env, idleMs: IDLE_LONG_MS });
}

/** The crash matrix. */
export async function testCrashes(args) {
  await prepare();
  if (!(await build(projects()))) return 1;
  const { env, others } = crashOptions(args);
  return await jest(['crash/matrix', ...others], { env, idleMs: IDLE_LONG_MS });
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

/** Tests across services also start the built processes. Only a tier reports compile errors. */
async function buildForTests() {
  await build(projects());
  await buildSites();
}

/** Runs jest, and prints the numbers of passed and failed tests and checks as the last line. */
async function jest(args, { env = {}, idleMs = IDLE_MS, failedChecks = async () => 0 } = {}) {
  const { workers, part, others } = readTestFlags(args);
  const config = ['-c', join(root, 'jest.config.cjs'), '--maxWorkers', String(workers)];
  if (part !== undefined) config.push(`--shard=${part}`);
  let counts = { passed: 0, failed: 0, suites: [] };
  // A handle that a test does not close must not prevent the end.
  const status = await runTests(
    [join(root, 'node_modules/jest/bin/jest.js'), ...config, '--forceExit', ...others],
    { env, idleMs, onMessage: (message) => (counts = message) },
  );
  // Jest can fail without a failed test, for example if the databases do not start.
  const failedTests = status === 0 ? counts.failed : Math.max(counts.failed, 1);
  const failed = failedTests + (await failedChecks());
  if (counts.suites.length > 1) process.stdout.write(`${costTable(counts.suites)}\n`);
  process.stdout.write(`${counts.passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}
