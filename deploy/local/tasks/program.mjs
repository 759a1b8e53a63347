// Programs that npm scripts start, and the files that scripts read.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
export const bin = join(root, 'node_modules', '.bin');
const NODE_MAJOR = 24;
const KILL_AFTER_MS = 15_000;
const SAME_SIGNAL_MS = 1_000;
const ANCESTORS_EVERY_MS = 500;
const FOLDERS_MADE = new Set(['node_modules', 'dist']);

/** Writes progress to standard error: standard output belongs to the command. */
export function say(line) {
  process.stderr.write(`[${(performance.now() / 1000).toFixed(1).padStart(6)} s] ${line}\n`);
}

/** Exit status of a command that is called wrongly. */
export const WRONG_USAGE = 2;

export function fail(line, status = 1) {
  say(line);
  process.exit(status);
}

/**
 * Starts a program in a process group of its own. The group ends with the program, and with this
 * process for any reason.
 */
function startGroup(program, args, options) {
  const child = spawn(program, args, { cwd: root, ...options, detached: true });
  if (child.pid === undefined) return child;
  passOnSignals(child);
  groups.add(child.pid);
  watch();
  child.once('exit', () => {
    groups.delete(child.pid);
    watch();
    killGroup(child.pid);
  });
  return child;
}

const groups = new Set();
let watchdog;

/** Reports the groups to a shell, which kills those of its last line when this process ends. */
function watch() {
  watchdog ??= startWatchdog();
  watchdog.stdin.write(`${[...groups].map((pid) => `-${String(pid)}`).join(' ')}\n`);
}

function startWatchdog() {
  const script =
    'while read -r line; do groups=$line; done; [ -z "$groups" ] || kill -s KILL -- $groups';
  const stdio = ['pipe', 'ignore', 'ignore'];
  const shell = spawn('/bin/sh', ['-c', script], { detached: true, cwd: '/', stdio });
  shell.unref();
  shell.stdin.unref();
  shell.stdin.on('error', () => undefined);
  return shell;
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // No process of the group is left.
  }
}

/**
 * Runs a tool, prints its output to standard error, and returns its exit status. Runs at lower
 * priority if `niceness` > 0.
 */
export async function run(program, args, { cwd = root, env = {}, niceness = 0 } = {}) {
  const options = { cwd, stdio: ['ignore', 2, 2], env: { ...environment(), ...env } };
  // Before the tool starts processes and threads, which inherit it.
  const child = startGroup('nice', ['-n', String(niceness), program, ...args], options);
  const status = await ended(child);
  if (isStopping) process.exit(1);
  return status;
}

/**
 * Runs tests, and ends every process that they leave in their group. Stops them after `idleMs`
 * without a message.
 */
export async function runTests(args, { env = {}, idleMs, onMessage }) {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'];
  const child = startGroup(pinnedNode(), args, { stdio, env: { ...environment(), ...env } });
  const timer = setTimeout(() => stopIdle(child, idleMs), idleMs);
  child.on('message', (message) => {
    timer.refresh();
    onMessage(message);
  });
  const status = await ended(child);
  clearTimeout(timer);
  return status;
}

/** Runs a program, forwards signals to it and returns its exit status. */
export async function runInteractive(args, { detached = false } = {}) {
  const child = spawn(pinnedNode(), args, {
    cwd: root,
    detached,
    // The program notices by the closed channel that this process has ended, for any reason.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: environment(),
  });
  passOnSignals(child);
  return await ended(child);
}

function ended(child) {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve((say(error.message), 1)));
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

const children = new Set();
let isStopping = false;

/** Forwards signals that this process receives, and the end of npm, to a program. */
function passOnSignals(child) {
  listenForSignals();
  children.add(child);
  child.once('exit', () => children.delete(child));
}

let isListening = false;

/**
 * The terminal and npm both deliver one Ctrl-C, so repeated signals within a second count as one.
 */
function listenForSignals() {
  if (isListening) return;
  isListening = true;
  let passedOnAt = -Infinity;
  const stop = (signal) => {
    if (performance.now() - passedOnAt < SAME_SIGNAL_MS) return;
    passedOnAt = performance.now();
    isStopping = true;
    if (children.size === 0) process.exit(1);
    for (const child of children) child.kill(signal);
  };
  process.on('SIGINT', () => stop('SIGINT'));
  process.on('SIGTERM', () => stop('SIGTERM'));
  process.on('SIGHUP', () => stop('SIGTERM'));
  stopWithNpm(stop);
}

/** Stops with npm: npm and the shell in between do not forward every signal. */
function stopWithNpm(stop) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const ancestors = () => [process.ppid, parentOf(process.ppid)].join();
  const first = ancestors();
  const timer = setInterval(() => {
    if (ancestors() === first) return;
    clearInterval(timer);
    stop('SIGTERM');
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

function stopIdle(child, idleMs) {
  say(`Stopping: no test file has ended for ${String(idleMs / 60_000)} minutes`);
  child.kill('SIGTERM');
  setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS).unref();
}

function environment() {
  return { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) };
}

/** Path of this Node if it is new enough, otherwise of the Node that the lockfile pins. */
export function pinnedNode() {
  if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) return process.execPath;
  const name = `node-${process.platform}-${process.arch}`;
  try {
    const manifest = createRequire(join(root, 'package.json')).resolve(`${name}/package.json`);
    return join(dirname(manifest), 'bin', 'node');
  } catch {
    return fail(`Node ${NODE_MAJOR} or later is needed: there is no ${name} to install`);
  }
}

/**
 * Lists the source files below a folder in a fixed order. Walks the folders itself: the recursive
 * readdir of some versions of Node follows the links of node_modules.
 */
export function filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => join(folder, name));
  const folders = entries.filter((entry) => entry.isDirectory() && !FOLDERS_MADE.has(entry.name));
  return [...files, ...folders.flatMap(({ name }) => filesBelow(join(folder, name)))].sort();
}

export function sha256(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

export function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}
