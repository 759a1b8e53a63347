import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { exitStatuses, StartRefusal } from '@billing/chassis/start-refusal';
import type { Account } from '../files/account';

export interface Program {
  name: string;
  command: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  cwd: string;
  account?: Account | undefined;
  logFile: string;
  stopSignal: NodeJS.Signals;
  /** Resolves to true once the program is ready; polled until then. */
  isReady: () => Promise<boolean>;
  /** Time after which it counts as hanging; five minutes by default. */
  readyWithinMs?: number;
  /** Restarts after the same short pause every time, for tests that kill the program. */
  restartsWithoutBackoff?: boolean;
  /** Removes leftovers of a crash that would prevent a start. */
  beforeStart?: () => Promise<void>;
}

export interface SupervisedProcess {
  readonly name: string;
  readonly stopSignal: NodeJS.Signals;
  /** Current process; changes with a restart, undefined in between. */
  pid(): number | undefined;
  /** Resolves once the program is ready; rejects if it dies before that. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface Supervision {
  log: (line: string) => void;
  /** Called at each start and end of the process. */
  onChange: () => Promise<void>;
}

// For programs that hang: one that ends is noticed at once, and a busy machine starts slowly.
const READY_WITHIN_MS = 300_000;
const READY_POLL_FIRST_MS = 10;
const READY_POLL_MAX_MS = 250;
const STOP_WITHIN_MS = 30_000;
const RESTART_DELAY_FIRST_MS = 100;
const RESTART_DELAY_MAX_MS = 5_000;
/** A program that ran this long is healthy: its next crash is restarted without a pause. */
const HEALTHY_AFTER_MS = 10_000;
const LOG_TAIL_CHARACTERS = 1_500;

/** A program that is restarted whenever it dies before it is stopped. */
export function supervise(program: Program, { log, onChange }: Supervision): SupervisedProcess {
  const stopping = new AbortController();
  let child: ChildProcess | undefined;
  let supervising: Promise<void> | undefined;

  const restartUntilStopped = async (): Promise<void> => {
    let delayMs = RESTART_DELAY_FIRST_MS;
    while (child) {
      const startedAt = performance.now();
      await exited(child);
      if (stopping.signal.aborted) return;
      log(`${program.name} ended (${howEnded(child)}); starting it again`);
      await onChange();
      const isHealthy = performance.now() - startedAt > HEALTHY_AFTER_MS;
      if (isHealthy || program.restartsWithoutBackoff === true) delayMs = RESTART_DELAY_FIRST_MS;
      const isStopped = await delay(delayMs, false, { signal: stopping.signal }).catch(() => true);
      if (isStopped) return;
      delayMs = Math.min(delayMs * 2, RESTART_DELAY_MAX_MS);
      // For example the process limit is reached: treated as a dead process, so the loop retries
      // after its delay.
      child = await launch(program).catch((error: unknown) => {
        log(`${program.name} could not be started: ${String(error)}`);
        return child;
      });
      await onChange();
    }
  };

  return {
    name: program.name,
    stopSignal: program.stopSignal,
    pid: () => (child && isRunning(child) ? child.pid : undefined),
    start: async () => {
      child = await launch(program);
      // Recorded before it is ready, so that a launcher that dies until then leaves nothing behind.
      await onChange();
      await becomeReady(program, child);
      supervising = restartUntilStopped();
    },
    stop: async () => {
      stopping.abort();
      if (child) await end(child, program.stopSignal);
      await supervising;
      // A restart may have been in progress.
      if (child) await end(child, program.stopSignal);
    },
  };
}

async function launch(program: Program): Promise<ChildProcess> {
  await program.beforeStart?.();
  const log = openSync(program.logFile, 'a', 0o600);
  try {
    return await new Promise((resolve, reject) => {
      const child = spawn(program.command, program.args, {
        // A process group of its own: only the launcher receives Ctrl-C, and stops the programs in
        // order.
        detached: true,
        stdio: ['ignore', log, log],
        env: program.env,
        cwd: program.cwd,
        ...program.account,
      });
      child.once('error', reject);
      child.once('spawn', () => {
        resolve(child);
      });
    });
  } finally {
    closeSync(log);
  }
}

async function becomeReady(program: Program, child: ChildProcess): Promise<void> {
  const { readyWithinMs = READY_WITHIN_MS } = program;
  const deadline = performance.now() + readyWithinMs;
  for (let pollMs = READY_POLL_FIRST_MS; ; pollMs = Math.min(pollMs * 2, READY_POLL_MAX_MS)) {
    if (!isRunning(child)) throw await endedEarly(program, child);
    if (await program.isReady()) return;
    if (performance.now() > deadline) {
      const seconds = String(readyWithinMs / 1000);
      throw new Error(
        `${program.name} was not ready within ${seconds} s: ${await logTail(program)}`,
      );
    }
    await delay(pollMs);
  }
}

// Exit statuses of a refused start; see runProcess.
const refusalStatuses: readonly unknown[] = Object.values(exitStatuses);

/**
 * Error of a failed start. A child's refusal, known by its exit status, is passed on with its text
 * and status.
 */
async function endedEarly(program: Program, child: ChildProcess): Promise<Error> {
  const { exitCode } = child;
  if (exitCode !== null && refusalStatuses.includes(exitCode)) {
    return new StartRefusal(exitCode, lastTextLines(await endOfLog(program)));
  }
  const tail = await logTail(program);
  return new Error(`${program.name} ended (${howEnded(child)}) before it was ready: ${tail}`);
}

/** Text after the last line of JSON: log lines are JSON, a refusal is text. */
function lastTextLines(tail: string): string {
  const lines = tail.split('\n');
  return lines.slice(lines.findLastIndex((line) => line.startsWith('{')) + 1).join('\n');
}

async function logTail(program: Program): Promise<string> {
  return `${await endOfLog(program)} (${program.logFile})`;
}

async function endOfLog({ logFile }: Program): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.slice(-LOG_TAIL_CHARACTERS).trim();
}

async function end(child: ChildProcess, stopSignal: NodeJS.Signals): Promise<void> {
  if (!isRunning(child)) return;
  child.kill(stopSignal);
  const lastResort = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await exited(child);
  clearTimeout(lastResort);
}

function howEnded(child: ChildProcess): string {
  return String(child.signalCode ?? child.exitCode);
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function exited(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  await new Promise((resolve) => child.once('exit', resolve));
}
