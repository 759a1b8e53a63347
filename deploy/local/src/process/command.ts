import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Account } from '../files/account';

export interface Command {
  program: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  account?: Account | undefined;
  cwd?: string;
  input?: string;
  timeoutMs: number;
}

/** Bytes of a failed command's output that are kept: enough for its error message. */
const TAIL_CHARACTERS_MAX = 2_000;

const running = new Set<number>();

/** Kills commands that still run when the launcher exits early. */
process.once('exit', () => {
  for (const pid of running) endGroup(pid);
});

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The command has already ended.
  }
}

/**
 * Runs a program and returns its standard output; rejects with the end of its output if it fails.
 */
export async function runCommand(command: Command): Promise<string> {
  return await new Promise((resolve, reject) => {
    const child = spawn(command.program, command.args, {
      // A process group of its own: only the launcher receives Ctrl-C, and stops the program.
      detached: true,
      env: command.env,
      cwd: command.cwd ?? '/',
      ...command.account,
    });
    const { pid } = child;
    if (pid !== undefined) running.add(pid);
    const name = [command.program, ...command.args.slice(0, 2)].join(' ');
    let output = '';
    let tail = '';
    const keep = (chunk: string): void => {
      tail = (tail + chunk).slice(-TAIL_CHARACTERS_MAX);
    };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      keep(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', keep);
    const timer = setTimeout(() => {
      keep(`\nstopped after ${String(command.timeoutMs / 1000)} s`);
      if (pid !== undefined) endGroup(pid);
    }, command.timeoutMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(new Error(`${name}: ${error.message}`));
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (pid !== undefined) running.delete(pid);
      if (code === 0) resolve(output);
      else reject(new Error(`${name} ended with ${String(code ?? signal)}: ${tail.trim()}`));
    });
    // A program that ends before it has read its input reports that by its exit code.
    child.stdin.on('error', () => undefined).end(command.input ?? '');
  });
}

/** Finds the full path of a program as a shell does. */
export async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter((entry) => entry !== '')) {
    const candidate = join(folder, name);
    const isThere = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return candidate;
  }
  return undefined;
}
