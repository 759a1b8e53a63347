#!/usr/bin/env node
// Bootstrap of all npm scripts, for Node 20 and npm: installs the pinned versions, then runs
// everything on the pinned Node.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fail, root, runInteractive } from './tasks/program.mjs';
import { build, buildSites, generate, install, prepare, projects } from './tasks/sources.mjs';

const launcher = join(root, 'deploy/local/dist/main.js');
// The system, and what the gateway serves to developers.
const started = ['deploy/local', 'deploy/operations', 'gateway/client', 'gateway/docs'];

/** Runs a built program of `test/`; `failure` is the exit status if the build fails. */
function toolOf(file, { folders = ['test'], failure = 1 } = {}) {
  return async (args) => {
    await prepare();
    if (!(await build(folders))) return failure;
    return await runInteractive([join(root, 'test/dist', file), ...args]);
  };
}

// Loaded only by commands that need them: images are built without these files.
const checks = () => import('./tasks/checks.mjs');
const tests = () => import('./tasks/tests.mjs');

async function baselineOrFail() {
  const { baselineFile, releaseBaseline } = await import('./tasks/release-baseline.mjs');
  return releaseBaseline() ?? fail(`There is no release yet: ${baselineFile} is missing`);
}

function deployCommand(project, folder) {
  return async (args) => {
    await prepare();
    if (!(await build([project]))) return 1;
    return await runInteractive([join(root, project, 'dist', folder, 'main.js'), ...args]);
  };
}

const commands = {
  start: async (args) => {
    await prepare();
    if (!(await build(started)) || !(await buildSites())) return 1;
    // Detached from the terminal, so that it receives a Ctrl-C once, from here.
    return await runInteractive([launcher, ...args], { detached: true });
  },
  dev: async (args) => {
    await prepare();
    const sites = ['site/index.html', 'docs/docs.html'].map((file) =>
      join(root, 'gateway/dist', file),
    );
    if (!(await build(started)) || !(sites.every(existsSync) || (await buildSites()))) return 1;
    return await runInteractive([launcher, '--watch', ...args], { detached: true });
  },
  build: async () => {
    await prepare();
    return (await build(projects())) && (await buildSites()) ? 0 : 1;
  },
  generate: async () => {
    await install();
    await generate({ force: true });
    return 0;
  },
  lint: async () => {
    await prepare();
    const { failedChecks } = await checks();
    return (await failedChecks()) === 0 ? 0 : 1;
  },
  licences: async () => {
    await install();
    return (await import('./tasks/dependencies.mjs')).licences();
  },
  sbom: async ([file = 'sbom.cdx.json']) => {
    await install();
    return (await import('./tasks/dependencies.mjs')).listComponents(resolve(file));
  },
  outdated: async () => (await import('./tasks/dependencies.mjs')).outdated(),
  bench: toolOf('bench/run.js', { folders: projects() }),
  'bench:loop': toolOf('bench/loop/main.js'),
  demo: toolOf('demo/main.js'),
  shard: deployCommand('deploy/local', 'shard'),
  indexes: deployCommand('deploy/local', 'indexes'),
  'first-owner': deployCommand('deploy/local', 'first-owner'),
  'requeue-poison': deployCommand('deploy/local', 'requeue'),
  backup: deployCommand('deploy/operations', 'backup'),
  restore: deployCommand('deploy/operations', 'restore'),
  reconcile: deployCommand('deploy/operations', 'reconcile'),
  doctor: deployCommand('deploy/operations', 'doctor'),
  release: async (args) => {
    await prepare();
    const { release } = await import('./tasks/release.mjs');
    return await release(args);
  },
  // For tests: builds the release before, and prints its folder.
  baseline: async () => {
    await install();
    const { commit } = await baselineOrFail();
    const { buildRelease } = await import('./tasks/release-tree.mjs');
    process.stdout.write(`${await buildRelease(commit)}\n`);
    return 0;
  },
  'check:invariants': toolOf('invariants/main.js', { failure: 2 }),
  'check:usage': toolOf('usage-check/main.js', { failure: 2 }),
  'check:reports': toolOf('recount/main.js', { failure: 2 }),
  test: async (args) => await (await tests()).test(args),
  'test:all': async (args) => await (await tests()).testTier('all', args),
  'test:nightly': async (args) => await (await tests()).testTier('nightly', args),
  'test:upgrade': async (args) => await (await tests()).testUpgrade(args),
  drill: async (args) => await (await tests()).drill(args),
  'test:engine': async (args) => await (await tests()).testEngine(args),
  'test:crash': async (args) => await (await tests()).testCrashes(args),
  'test:project': async ([project, ...args]) => await (await tests()).testProject(project, args),
};

const [name, ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
if (!command) fail(`Usage: run.mjs ${Object.keys(commands).join(' | ')}`);
process.exitCode = await command(args);
