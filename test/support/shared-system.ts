import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, type ProcessIdentity } from '@billing/local/process-identity';
import type { RunningSystem } from '@billing/local/system';
import { ApiClient } from './api-client';

/** The server of the services' databases, and the prefix of their names. */
export interface TestDatabases {
  readonly uri: string;
  readonly prefix: string;
}

/** Parts of a system that tests use. */
export interface TestSystem {
  readonly gatewayUrl: string;
  /** Name of the organization whose keys the clients have. */
  readonly organization: string;
  /** A client for the organization's live environment. */
  readonly live: ApiClient;
  /** A client for its first sandbox, whose clock is real. */
  readonly sandbox: ApiClient;
  readonly sandboxKey: string;
  /** The gRPC address of each service, past the gateway. */
  readonly addresses: RunningSystem['addresses'];
  readonly databases: TestDatabases;
  /** The folder of the services' logs. */
  readonly logDir: string;
  client(key: string | undefined): ApiClient;
}

/** The system that the test files of one worker share. */
export interface SharedSystem extends Pick<
  TestSystem,
  'gatewayUrl' | 'addresses' | 'databases' | 'logDir'
> {
  readonly process: ProcessIdentity;
  readonly isEnding: boolean;
  /** Answers each request with a new organization. */
  readonly organizationsUrl: string;
}

/**
 * File in which a shared system that `file` describes lists the problems of its filters when it
 * ends. A worker can have several systems, one after the other.
 */
export function shardKeyProblems(file: string, pid: number): string {
  return `${file}.${String(pid)}.problems`;
}

/** True for the file that describes a shared system, false for a list of problems. */
export function describesSystem(file: string): boolean {
  return file.endsWith('.json');
}

/** An organization of one test file. */
export interface SharedOrganization {
  readonly name: string;
  readonly liveKey: string;
  readonly testKey: string;
}

// Lets a process start faster after the first one.
export const compileCache = join(tmpdir(), 'billing-compile-cache');

/**
 * Joins the system of this worker with an organization of its own; the first file starts the
 * system. Files that kill, limit or reconfigure a system start their own.
 */
export async function joinTestSystem(): Promise<TestSystem> {
  const system = await sharedSystem();
  const response = await fetch(system.organizationsUrl, { method: 'POST' });
  if (!response.ok) throw new Error(await response.text());
  const { name, liveKey, testKey } = (await response.json()) as SharedOrganization;
  const client = (key: string | undefined) => new ApiClient(system.gatewayUrl, key);
  return {
    gatewayUrl: system.gatewayUrl,
    addresses: system.addresses,
    databases: system.databases,
    logDir: system.logDir,
    organization: name,
    live: client(liveKey),
    sandbox: client(testKey),
    sandboxKey: testKey,
    client,
  };
}

// test/support/jest/shared-system-end.cjs reads this file, too.
async function sharedSystem(): Promise<SharedSystem> {
  const { SHARED_SYSTEMS_FOLDER: folder = '', JEST_WORKER_ID: worker = '' } = process.env;
  const file = join(folder, `${worker}.json`);
  const known = readSharedSystem(file);
  // A worker that died has left its file to the one that takes its place.
  if (known !== undefined && !known.isEnding && isAlive(known.process)) return known;
  await startSharedSystem(file);
  return readSharedSystem(file)!;
}

function readSharedSystem(file: string): SharedSystem | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as SharedSystem;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** From now on no test file joins the system; the end of all tests still waits for its process. */
export function recordEnd(file: string, pid: number): void {
  const known = readSharedSystem(file);
  if (known?.process.pid === pid) writeSharedSystem(file, { ...known, isEnding: true });
}

/** Writes the file atomically. */
export function writeSharedSystem(file: string, system: SharedSystem): void {
  writeFileSync(`${file}.new`, JSON.stringify(system));
  renameSync(`${file}.new`, file);
}

async function startSharedSystem(file: string): Promise<void> {
  const child = forkCompiled('shared-system-process', [file]);
  await firstMessageOf(child);
  // It ends with the worker and must not keep it alive.
  child.unref();
  child.channel?.unref();
}

/** Starts a program of this folder as compiled, because services load in a fraction of the time. */
export function forkCompiled(
  name: string,
  args: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): ChildProcess {
  return fork(join(__dirname, `../dist/support/${name}.js`), [...args], {
    env: { ...process.env, NODE_COMPILE_CACHE: compileCache, ...variables },
    execArgv: ['--enable-source-maps'],
  });
}

/** The first message of a process; rejects if the process ends before. */
export async function firstMessageOf(child: ChildProcess): Promise<unknown> {
  const exited = once(child, 'exit').then(() => {
    throw new Error('The system ended while it started');
  });
  const [message] = (await Promise.race([once(child, 'message'), exited])) as unknown[];
  return message;
}
